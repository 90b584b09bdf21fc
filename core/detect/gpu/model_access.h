// Model, part three: accesses of memory, by threads, by their copies and by the host. Included by
// model.h only.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "core/detect/gpu/model.h"

namespace redflag::gpu {

inline Lanes lane_bit(unsigned lane) {
  return Lanes{1} << lane;
}

template <typename C, typename S>
bool Model<C, S>::Judge::same_block(const Record& a, const Record& b) const {
  return a.launch == b.launch && model.grid_.block_of(a.thread) == model.grid_.block_of(b.thread);
}

// Two accesses of a byte that may race, `a` the earlier: not both read, and not both strong with scopes
// that include each other and the same bytes (morally strong).
template <typename C, typename S>
bool Model<C, S>::Judge::conflict(const Record& a, const Record& b) const {
  if (!a.writes && !b.writes) return false;
  if (!a.strong || !b.strong) return !a.observed;
  if (a.log_size != b.log_size) return true;
  const Level level = narrower(a.level(), b.level());
  if (level == Level::kDevice) return false;
  if (a.launch != b.launch) return true;
  const Grid& grid = model.grid_;
  return !grid.within(grid.block_of(a.thread), grid.block_of(b.thread), level);
}

// Level cuda: a read-modify-write comes after the atomics before it at its location, as far as that
// location goes. Whoever resets a counter after having counted needs no more (the papers' view).
template <typename C, typename S>
bool Model<C, S>::Judge::observes(const Record& now, const Record& past) const {
  return model.options_.strictness == Strictness::kCuda && now.event() == EventKind::kAtomicRmw &&
         !now.is_reduction && now.writes && past.strong && past.writes &&
         past.launch == now.launch && !conflict(past, now);
}

template <typename C, typename S>
Lanes Model<C, S>::Judge::unordered(const Record& past, Lanes its, Lanes lanes) const {
  if (past.launch != model.number_) {
    return model.host_order_.knows(model.number_, past.launch) ? 0 : lanes;
  }
  const bool own = past.thread == self || past.thread == at.base;
  if (own && its == lanes && std::has_single_bit(its)) return 0;  // its own earlier access
  C& clocks = model.worlds_.real().clocks;
  Lanes racing = 0;
  clocks.groups(at, lanes, [&](Lanes some, const Known& known) {
    for (Lanes rest = its; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      Lanes others = some;
      if (own) others &= ~lane_bit(lane);
      if (others == 0 || clocks.knows(known, at, past.thread + lane, past.time)) continue;
      racing |= others;
    }
  });
  return racing;
}

// Every access in `past` is ordered before some of `lanes`, by order alone.
template <typename C, typename S>
bool Model<C, S>::Judge::behind(const Record& past, Lanes its, Lanes lanes) const {
  if (past.launch != model.number_) return model.host_order_.knows(model.number_, past.launch);
  if (past.thread == self) its &= ~lanes;
  if (its == 0) return true;
  C& clocks = model.worlds_.real().clocks;
  const Known& known = clocks.known(at, static_cast<unsigned>(std::countr_zero(lanes)));
  for (Lanes rest = its; rest != 0; rest &= rest - 1) {
    const ThreadIndex thread = past.thread + static_cast<unsigned>(std::countr_zero(rest));
    if (!clocks.knows(known, at, thread, past.time)) return false;
  }
  return true;
}

template <typename C, typename S>
Record Model<C, S>::record_of(const WarpAt& at, const WarpState& warp, const Step& step) const {
  constexpr std::array<EventKind, 5> kKinds{EventKind::kRead, EventKind::kWrite,
                                            EventKind::kAtomicLoad, EventKind::kAtomicStore,
                                            EventKind::kAtomicRmw};
  Record record;
  record.time = warp.now;
  record.thread = at.base;
  record.site = raw(step.site) & 0xFFFFFF;
  record.kind = static_cast<std::uint32_t>(kKinds[static_cast<std::size_t>(step.kind)]) & 7U;
  record.order = raw(step.order) & 7U;
  record.is_volatile = step.is_volatile;
  record.launch = number_ & (kMostLaunches - 1);
  record.strong = counts_as_strong(step);
  const bool is_volatile = step.kind == StepKind::kRead || step.kind == StepKind::kWrite;
  record.scope = raw(is_volatile ? Scope::kSystem : step.scope) & 7U;
  record.log_size = static_cast<std::uint32_t>(std::bit_width(step.size) - 1) & 7U;
  record.is_reduction = step.op == RmwOp::kReduction;
  record.writes = step.kind == StepKind::kWrite || step.kind == StepKind::kAtomicStore ||
                  step.kind == StepKind::kAtomicRmw;
  return record;
}

// A strong access, lane after lane: read-modify-writes of one instruction come one after the other, and
// each observes what those before it published. In both levels a volatile access may publish and
// observe; whether that is enough is the world's matter.
template <typename C, typename S>
void Model<C, S>::synchronises(const WarpAt& at, const WarpState& warp, const Step& step,
                               Lanes wrote) {
  const bool is_volatile = step.kind == StepKind::kRead || step.kind == StepKind::kWrite;
  Deed one = deed(DeedKind::kObserve, at, 0, warp.now);
  one.order = step.order;
  one.level = is_volatile ? Level::kDevice : level_of(step.scope);
  one.is_compare_swap = step.op == RmwOp::kCompareSwap;
  one.is_reduction = step.op == RmwOp::kReduction;
  one.is_volatile = is_volatile;
  for (Lanes rest = step.lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    one.lanes = lane_bit(lane);
    one.object = step.address[lane];
    if ((wrote & one.lanes) == 0) {
      one.kind = DeedKind::kObserve;
    } else {
      one.kind = step.kind == StepKind::kAtomicRmw ? DeedKind::kModify : DeedKind::kPublish;
      strong_.add(one.object);
    }
    worlds_.does(one);
  }
}

template <typename C, typename S>
void Model<C, S>::overwrites(const WarpAt& at, const Step& step) {
  for (Lanes rest = step.lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    if (!strong_.may_have(step.address[lane])) continue;
    Deed one = deed(DeedKind::kOverwrite, at, lane_bit(lane));
    one.object = step.address[lane];
    worlds_.does(one);
  }
}

template <typename C, typename S>
void Model<C, S>::locks(WarpState& warp, const Step& step, Lanes wrote) {
  const bool may_take = step.op == RmwOp::kExchange || step.op == RmwOp::kCompareSwap;
  if (warp.locks.empty() && !may_take) return;
  for (Lanes rest = wrote; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const std::uint64_t address = step.address[lane];
    if (!warp.locks.empty() && warp.gives_back(lane, address)) continue;
    const bool exchange =
        step.op == RmwOp::kExchange && step.value != nullptr && step.value[lane] != 0;
    if (step.op == RmwOp::kCompareSwap || exchange) warp.takes(lane, address);
  }
}

template <typename C, typename S>
void Model<C, S>::memory(const WarpAt& at, BlockState& state, const Step& step) {
  WarpState& warp = state.warps[at.warp];
  const Record record = record_of(at, warp, step);
  const bool rmw = step.kind == StepKind::kAtomicRmw;
  const Lanes wrote = rmw ? step.wrote & step.lanes : (record.writes ? step.lanes : 0);
  const bool is_plain = step.kind == StepKind::kRead || step.kind == StepKind::kWrite;
  const bool strong_write = wrote != 0 && (!is_plain || step.is_volatile);
  if (!is_plain || step.is_volatile) {
    synchronises(at, warp, step, wrote);
  } else if (wrote != 0) {
    overwrites(at, step);
  }
  if (rmw && wrote != step.lanes) {  // a compare-and-swap that failed only read
    Record read = record;
    read.writes = 0;
    access(at, warp, step, read, step.address, step.lanes & ~wrote);
  }
  const Lanes main = rmw ? wrote : step.lanes;
  if (main != 0) access(at, warp, step, record, step.address, main);
  if (wrote != 0) locks(warp, step, wrote);
  if (strong_write) ++warp.now;
}

template <typename C, typename S>
void Model<C, S>::copy(const WarpAt& at, WarpState& warp, const Step& step) {
  Step as_access = step;
  as_access.kind = StepKind::kWrite;
  Record record = record_of(at, warp, as_access);
  record.time = warp.copies;
  record.thread = at.base + grid_.agents;
  record.is_async = 1;
  access(at, warp, as_access, record, step.address, step.lanes);
  if (step.source == nullptr) return;
  record.kind = static_cast<std::uint32_t>(EventKind::kRead);
  record.writes = 0;
  access(at, warp, as_access, record, step.source, step.lanes);
}

// Lanes with the same address are one part: addresses are walked once, in the order of lanes.
template <typename C, typename S>
void Model<C, S>::access(const WarpAt& at, WarpState& warp, const Step& step, const Record& record,
                         const std::uint64_t* addresses, Lanes lanes) {
  Judge judge{*this, at, record.thread};
  std::array<std::pair<std::uint64_t, Lanes>, kWarp> parts;
  std::size_t count = 0;
  bool ascending = true;
  for (Lanes rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    if (count > 0 && parts[count - 1].first == addresses[lane]) {
      parts[count - 1].second |= lane_bit(lane);
      continue;
    }
    ascending &= count == 0 || parts[count - 1].first < addresses[lane];
    parts[count++] = {addresses[lane], lane_bit(lane)};
  }
  if (!ascending) {
    std::sort(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(count));
    std::size_t kept = 0;
    for (std::size_t i = 1; i < count; ++i) {
      if (parts[i].first == parts[kept].first) {
        parts[kept].second |= parts[i].second;
      } else {
        parts[++kept] = parts[i];
      }
    }
    count = kept + 1;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const auto& [address, some] = parts[i];
    if (record.writes && !record.strong && !std::has_single_bit(some)) {
      // Against a lane that writes another value, if there is one.
      const auto first = static_cast<unsigned>(std::countr_zero(some));
      auto second = static_cast<unsigned>(std::countr_zero(some & (some - 1)));
      for (Lanes rest = some & (some - 1); step.value != nullptr && rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(rest));
        if (step.value[lane] == step.value[first]) continue;
        second = lane;
        break;
      }
      same_instruction(at, step, record, address, first, second);
    }
    part(judge, warp, record, address, step.size, some);
  }
}

// An atomic of system scope is made to meet the host's atomics. Of the host's access only the page is
// known, not whether it was an atomic: the two are not called a race.
inline bool may_be_two_atomics(const Record& device, const HostStep& host) {
  const bool by_host = host.kind == HostKind::kHostRead || host.kind == HostKind::kHostWrite;
  return by_host && device.strong && static_cast<Scope>(device.scope) == Scope::kSystem;
}

template <typename C, typename S>
void Model<C, S>::part(Judge& judge, WarpState& warp, const Record& record, std::uint64_t address,
                       unsigned size, Lanes lanes) {
  Record mine = record;
  mine.locked = !warp.locks.empty() && warp.holds(static_cast<unsigned>(std::countr_zero(lanes)));
  shadow_.access(mine, lanes, address, size, judge,
                 [&](const Record& past, Lanes its, Lanes racing, std::uint64_t where,
                     unsigned bytes) { found(past, its, mine, racing, judge, where, bytes); });
  for (const HostAccess& earlier : concurrent_) {
    if (!earlier.writes && !record.writes) continue;
    const HostStep& there = earlier.step;
    if (there.address + there.size <= address || there.address >= address + size) continue;
    if (may_be_two_atomics(mine, there)) continue;
    host_race(mine, lanes, earlier, true, address, size);
  }
}

template <typename C, typename S>
void Model<C, S>::host(const HostStep& step) {
  const HostOrder::Number number = host_order_.host(step);
  if (step.kind == HostKind::kAlloc || step.kind == HostKind::kFree) {
    shadow_.forget(step.address, step.size);
    std::erase_if(host_accesses_, [&](const HostAccess& one) {
      return one.step.address >= step.address && one.step.address < step.address + step.size;
    });
  }
  if (number != 0) {
    const bool writes = step.kind == HostKind::kWrite || step.kind == HostKind::kHostWrite;
    HostAccess mine{number, step, writes};
    const bool unknown = std::any_of(launches_.begin(), launches_.end(), [&](const Past& past) {
      return !host_order_.knows(number, past.number);
    });
    if (unknown) {
      shadow_.in_range(
          step.address, step.size,
          [&](const Record& record, Lanes lanes, std::uint64_t address, unsigned bytes) {
            if (!writes && !record.writes) return;
            if (may_be_two_atomics(record, step)) return;
            if (host_order_.knows(number, record.launch)) return;
            host_race(record, lanes, mine, false, address, bytes);
          });
    }
    for (const HostAccess& other : host_accesses_) {
      if (!writes && !other.writes) continue;
      if (other.step.address + other.step.size <= step.address ||
          other.step.address >= step.address + step.size ||
          host_order_.knows(number, other.number)) {
        continue;
      }
      host_pair(other, mine);
    }
    host_accesses_.push_back(mine);
  }
  if (!running_ && host_order_.all_known_everywhere()) {
    shadow_.clear();
    host_accesses_.clear();
    launches_.clear();
    host_order_.restart();
  }
}

}  // namespace redflag::gpu
