#include "core/detect/gpu/warp_clocks.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace redflag::gpu {
namespace {

WarpClocks::LaneTimes times_of(const WarpClocks::Known& known) {
  WarpClocks::LaneTimes times{};
  for (unsigned i = 0; i < kWarp; ++i) times[i] = WarpClocks::lane_time(known, i);
  return times;
}

void set_times(WarpClocks::Known& known, const WarpClocks::LaneTimes& times) {
  known.mates = 0;
  known.mates_time = 0;
  if (std::all_of(times.begin(), times.end(), [&](Time t) { return t == times[0]; })) {
    known.lanes.reset();
    known.warp = times[0];
    return;
  }
  if (known.lanes && *known.lanes == times) return;
  known.lanes = std::make_shared<const WarpClocks::LaneTimes>(times);
}

void join(WarpClocks::Known& into, const WarpClocks::Known& from) {
  into.block = std::max(into.block, from.block);
  into.far.join(from.far);
  if (!into.lanes && !from.lanes && into.mates == 0 && from.mates == 0) {
    into.warp = std::max(into.warp, from.warp);
    return;
  }
  WarpClocks::LaneTimes times = times_of(into);
  const WarpClocks::LaneTimes other = times_of(from);
  for (unsigned i = 0; i < kWarp; ++i) times[i] = std::max(times[i], other[i]);
  set_times(into, times);
}

}  // namespace

WarpClocks& WarpClocks::operator=(const WarpClocks& other) {
  if (this == &other) return *this;
  begin(other.grid_);
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    if (other.blocks_[i]) blocks_[i] = std::make_unique<std::vector<Warp>>(*other.blocks_[i]);
  }
  return *this;
}

void WarpClocks::begin(const Grid& grid) {
  grid_ = grid;
  blocks_.clear();
  blocks_.resize(grid.blocks);
}

WarpClocks::Warp& WarpClocks::warp(const WarpAt& at) {
  std::unique_ptr<std::vector<Warp>>& block = blocks_[at.block];
  if (!block) {
    block = std::make_unique<std::vector<Warp>>(grid_.block_warps);
    for (std::uint32_t w = 0; w < grid_.block_warps; ++w) {
      (*block)[w].push_back({grid_.lanes(w), {}});
    }
  }
  return (*block)[at.warp];
}

const WarpClocks::Known& WarpClocks::known(const WarpAt& at, unsigned lane) {
  Warp& all = warp(at);
  for (const Group& group : all) {
    if ((group.lanes >> lane & 1) != 0) return group.known;
  }
  return all.front().known;
}

WarpClocks::Clock WarpClocks::publish(const Known& known, const WarpAt& at, Lanes self,
                                      Time now) const {
  std::vector<Run> runs;
  const auto add = [&](ThreadIndex begin, ThreadIndex end, Time time) {
    if (begin < end && time != 0) runs.push_back({begin, end, time});
  };
  add(at.block_base, at.base, known.block);
  for (unsigned lane = 0; lane < kWarp;) {
    const auto time_of = [&](unsigned i) {
      return (self >> i & 1) != 0 ? now : lane_time(known, i);
    };
    unsigned end = lane + 1;
    while (end < kWarp && time_of(end) == time_of(lane)) ++end;
    add(at.base + lane, at.base + end, time_of(lane));
    lane = end;
  }
  add(at.base + kWarp, at.block_base + grid_.agents, known.block);
  SparseClock clock = SparseClock::of(std::move(runs));
  clock.join(known.far);
  return clock;
}

WarpClocks::Clock WarpClocks::publish(const WarpAt& at, Lanes lanes, Time now) {
  SparseClock clock;
  groups(at, lanes,
         [&](Lanes some, const Known& known) { clock.join(publish(known, at, some, now)); });
  return clock;
}

WarpClocks::Group& WarpClocks::split(Warp& all, Lanes lanes) {
  Group joined;
  bool first = true;
  for (Group& group : all) {
    if ((group.lanes & lanes) == 0) continue;
    if (first) {
      joined.known = group.known;
    } else {
      join(joined.known, group.known);
    }
    first = false;
    joined.lanes |= group.lanes & lanes;
    group.lanes &= ~lanes;
  }
  std::erase_if(all, [](const Group& group) { return group.lanes == 0; });
  all.push_back(std::move(joined));
  return all.back();
}

void WarpClocks::learn(const WarpAt& at, Lanes lanes, const Clock& clock) {
  if (clock.empty()) return;
  Warp& all = warp(at);
  const std::size_t before = all.size();
  for (std::size_t i = 0; i < before; ++i) {
    const Lanes some = all[i].lanes & lanes;
    if (some == 0) continue;
    Known known = all[i].known;
    known.far.join(clock);
    if (known.same(all[i].known)) continue;
    if (some == all[i].lanes) {
      all[i].known = std::move(known);
    } else {
      all[i].lanes &= ~some;
      all.push_back({some, std::move(known)});
    }
  }
  // Lanes that know the same again are one group again.
  for (std::size_t i = 0; i + 1 < all.size(); ++i) {
    for (std::size_t j = all.size() - 1; j > i; --j) {
      if (!all[i].known.same(all[j].known)) continue;
      all[i].lanes |= all[j].lanes;
      all.erase(all.begin() + static_cast<std::ptrdiff_t>(j));
    }
  }
}

void WarpClocks::sync_warp(const WarpAt& at, Lanes lanes, Time now) {
  Warp& all = warp(at);
  if (all.size() == 1 && all[0].lanes == lanes) {  // the common case: the whole warp, all alike
    Known& known = all[0].known;
    known.lanes.reset();
    known.mates = 0;
    known.mates_time = 0;
    known.warp = now;
    return;
  }
  Group& group = split(all, lanes);
  LaneTimes times = times_of(group.known);
  for (unsigned i = 0; i < kWarp; ++i) {
    if ((lanes >> i & 1) != 0) times[i] = now;
  }
  // Lanes that the warp never had are never asked for: they may have any time.
  for (unsigned i = 0; i < kWarp; ++i) {
    if ((grid_.lanes(at.warp) >> i & 1) == 0) times[i] = now;
  }
  set_times(group.known, times);
}

void WarpClocks::together(const WarpAt& at, Lanes lanes, Time now) {
  Warp& all = warp(at);
  for (Group& group : all) {
    if (group.lanes != lanes) continue;
    // The lanes have a group of their own: what was kept of lanes that no longer go along stays.
    if ((group.known.mates & ~lanes) != 0) set_times(group.known, times_of(group.known));
    group.known.mates = lanes;
    group.known.mates_time = now;
    return;
  }
  Group& group = split(all, lanes);
  set_times(group.known, times_of(group.known));
  group.known.mates = lanes;
  group.known.mates_time = now;
}

void WarpClocks::sync_block(std::uint32_t block, Time now) {
  SparseClock far;
  const ThreadIndex base = block * grid_.stride;
  for (std::uint32_t w = 0; w < grid_.block_warps; ++w) {
    for (const Group& group : warp(grid_.warp(block, w))) far.join(group.known.far);
  }
  // What the new time says is not kept twice, unless that would cost a copy of a clock that all share.
  constexpr std::size_t kShared = 64;
  if (far.size() < kShared) far.forget(base, base + grid_.agents, now);
  for (std::uint32_t w = 0; w < grid_.block_warps; ++w) {
    Warp& all = warp(grid_.warp(block, w));
    all.resize(1);
    all[0] = {grid_.lanes(w), {now, now, nullptr, 0, 0, far}};
  }
}

WarpClocks::Formats WarpClocks::formats() const {
  Formats count;
  for (const auto& block : blocks_) {
    if (!block) continue;
    for (const Warp& all : *block) {
      const auto has = [&](auto f) { return std::any_of(all.begin(), all.end(), f); };
      if (has([](const Group& g) { return !g.known.far.empty(); })) {
        ++count.sparse;
      } else if (has([](const Group& g) { return g.known.lanes != nullptr; })) {
        ++count.nested;
      } else {
        ++(all.size() > 1 ? count.diverged : count.converged);
      }
    }
  }
  return count;
}

std::size_t WarpClocks::bytes() const {
  std::size_t sum = blocks_.capacity() * sizeof(blocks_[0]);
  const void* last = nullptr;
  for (const auto& block : blocks_) {
    if (!block) continue;
    for (const Warp& all : *block) {
      sum += sizeof(Warp) + all.capacity() * sizeof(Group);
      for (const Group& group : all) {
        if (group.known.lanes) sum += sizeof(LaneTimes) + 16;
        if (group.known.far.empty()) continue;
        const void* runs = group.known.far.runs().data();
        if (runs != last) sum += group.known.far.size() * sizeof(Run) + 40;
        last = runs;
      }
    }
  }
  return sum;
}

}  // namespace redflag::gpu
