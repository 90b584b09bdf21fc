#include "core/detect/gpu/barracuda/barracuda.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace redflag::gpu::barracuda {
namespace {

// Instructions of the paper's traces: memory operations and fences.
constexpr bool is_instruction(StepKind kind) {
  return kind <= StepKind::kFence || kind == StepKind::kMbarrierInit ||
         kind == StepKind::kMbarrierArrive || kind == StepKind::kMbarrierWait ||
         kind == StepKind::kMbarrierInval || kind == StepKind::kAsyncCopy;
}
constexpr bool has_addresses(StepKind kind) {
  return kind <= StepKind::kAtomicRmw || kind == StepKind::kAsyncCopy;
}
EventKind event_of(Access access) {
  switch (access) {
    case Access::kRead:
      return EventKind::kRead;
    case Access::kWrite:
      return EventKind::kWrite;
    case Access::kAtomicRead:
      return EventKind::kAtomicLoad;
    case Access::kAtomicWrite:
      break;
  }
  return EventKind::kAtomicRmw;
}
// The ordering that level cuda has, over Barracuda's locations.
constexpr World kWorld{.atomics_acquire = true, .any_fence_travels = true};

std::pmr::memory_resource* resource(const Options& options) {
  return options.memory != nullptr ? options.memory : std::pmr::get_default_resource();
}

}  // namespace

// The lanes of an instruction that access one place, against what is known of it.
struct Barracuda::Accessor {
  Barracuda& engine;
  const WarpAt& at;
  const WarpState& warp;
  const Step& step;
  Touch now;
  bool observes = false;
  // What the lanes know: mostly they are one group.
  std::array<std::pair<Lanes, const WarpClocks::Known*>, kWarp> groups{};
  std::size_t group_count = 0;

  void count(Rule rule) const { engine.counts_.add(rule); }
  void race(const Touch& earlier, Lanes racing, std::uint64_t address, unsigned bytes) const {
    engine.found(*this, earlier, racing, address, bytes);
  }

  // Those of the earlier lanes that `known` does not know up to `time`.
  Lanes unknown(const WarpClocks::Known& known, ThreadIndex of, Lanes lanes, Time time) const {
    if (of == at.base) {
      if (known.mates_time >= time) lanes &= ~known.mates;
      if (lanes == 0) return 0;
      if (!known.lanes) {
        if (known.warp >= time) lanes &= known.mates;
      } else {
        for (Lanes rest = lanes & ~known.mates; rest != 0; rest &= rest - 1) {
          if ((*known.lanes)[static_cast<unsigned>(std::countr_zero(rest))] >= time) {
            lanes &= ~(rest & (~rest + 1));
          }
        }
      }
    } else if (of - at.block_base < engine.grid_.agents && known.block >= time) {
      return 0;
    }
    if (lanes == 0 || known.far.empty()) return lanes;
    for (Lanes rest = lanes; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      if (known.far.at(of + lane) >= time) lanes &= ~(Lanes{1} << lane);
    }
    return lanes;
  }

  // A lane is ordered behind its own accesses; so is the copy that it starts, but not the other way.
  Lanes racing(ThreadIndex of, Lanes lanes, Time time) const {
    const bool own = of == now.warp || of == at.base;
    if (own && lanes == now.lanes && std::has_single_bit(lanes)) return 0;
    Lanes found = 0;
    for (std::size_t i = 0; i < group_count; ++i) {
      const Lanes some = groups[i].first & now.lanes;
      if (some == 0) continue;
      const Lanes open = unknown(*groups[i].second, of, lanes, time);
      if (open == 0) continue;
      found |= own && std::has_single_bit(open) ? some & ~open : some;
    }
    return found;
  }
  bool behind(ThreadIndex of, Lanes lanes, Time time) const {
    if (of == now.warp) lanes &= ~now.lanes;
    if (lanes == 0) return true;
    const Lanes first = now.lanes & (~now.lanes + 1);
    for (std::size_t i = 0; i < group_count; ++i) {
      if ((groups[i].first & first) == 0) continue;
      return unknown(*groups[i].second, of, lanes, time) == 0;
    }
    return false;
  }
};

Barracuda::Barracuda(Options options)
    : options_(std::move(options)),
      races_(options_.most_races, options_.on_race, resource(options_)),
      shadow_(resource(options_)),
      order_(kWorld) {}

void Barracuda::launch_begins(const Launch& launch) {
  launch_ = launch;
  grid_ = Grid(launch);
  running_ = true;
  shadow_.restart();
  order_.begin(grid_);
  blocks_.clear();
  blocks_.resize(grid_.blocks);
  released_.clear();
  any_signal_ = false;
}

void Barracuda::launch_ends(LaunchId /*launch*/) {
  for (std::uint32_t b = 0; b < blocks_.size(); ++b) {
    if (!blocks_[b]) continue;
    for (const BarrierRound& round : blocks_[b]->rounds) {
      if (!round.complete) check_whole_warps(b, *blocks_[b], round);
    }
  }
  running_ = false;
  blocks_.clear();
  SparseClock::forget_joins();
}

Barracuda::Block& Barracuda::block(std::uint64_t number) {
  std::unique_ptr<Block>& state = blocks_[number];
  if (!state) {
    state = std::make_unique<Block>();
    state->warps.resize(grid_.block_warps);
    state->fenced.resize(grid_.block_warps);
    state->live = grid_.block_warps;
    for (std::uint32_t w = 0; w < grid_.block_warps; ++w) state->warps[w].live = grid_.lanes(w);
  }
  return *state;
}

void Barracuda::step(const Step& step) {
  ++steps_;
  if (!running_ || step.lanes == 0) return;
  if (step.block >= grid_.blocks || step.warp >= grid_.block_warps) return;
  if (has_addresses(step.kind) && step.address == nullptr) return;
  const WarpAt at = grid_.warp(step.block, step.warp);
  Block& state = block(step.block);
  WarpState& warp = state.warps[step.warp];
  if ((warp.waiting & step.lanes) != 0 && step.kind != StepKind::kBarrierPass) {
    goes_on(at, state, step.lanes);
  }
  if (is_instruction(step.kind)) end_instruction(at, warp, step);
  switch (step.kind) {
    case StepKind::kRead:
    case StepKind::kWrite:
      plain(at, state, step);
      return state.fenced[at.warp].other(step.lanes);
    case StepKind::kAtomicLoad:
    case StepKind::kAtomicStore:
    case StepKind::kAtomicRmw:
      atomic(at, warp, step);
      return state.fenced[at.warp].atomic(step.lanes);
    case StepKind::kFence:
      return fence(at, state, step);
    case StepKind::kWarpSync:
      return sync_warp(at, warp, step.lanes);
    case StepKind::kBarrierArrive:
      state.fenced[at.warp].other(step.lanes);
      return barrier_arrive(at, state, step);
    case StepKind::kBarrierPass:
      return barrier_pass(at, state, step);
    case StepKind::kClusterArrive:
    case StepKind::kClusterPass:
      return cluster_barrier(at, warp, step);
    case StepKind::kMbarrierInit:
    case StepKind::kMbarrierArrive:
    case StepKind::kMbarrierWait:
    case StepKind::kMbarrierInval:
      return barrier_object(at, warp, step);
    case StepKind::kAsyncCopy:
      return copy(at, warp, step);
    case StepKind::kAsyncCommit:
      warp.groups.push_back({step.lanes, warp.copies});
      ++warp.copies;
      return;
    case StepKind::kAsyncWait:
      return waits_for_copies(at, warp, step);
    case StepKind::kAsyncArrive:
      return copies_arrive(at, warp, step);
    case StepKind::kBranch:
      counts_.add(Rule::kIf);
      tell(Op::kIf, step, step.lanes);
      sync_warp(at, warp, step.lanes | step.other);
      return warp.part(step.lanes, step.other);
    case StepKind::kReconverge:
      counts_.add(Rule::kElseEndif);
      tell(Op::kFi, step, step.lanes);
      sync_warp(at, warp, step.lanes);
      return warp.reconverge(step.lanes);
    case StepKind::kExit:
      return exits(at, state, step.lanes);
  }
}

void Barracuda::plain(const WarpAt& at, Block& state, const Step& step) {
  WarpState& warp = state.warps[at.warp];
  const bool writes = step.kind == StepKind::kWrite;
  const Lanes signalled = options_.stores_release ? signals(at, state, step) : 0;
  const Lanes lanes = step.lanes & ~signalled;
  if (step.is_volatile) {
    synchronises(at, warp, step, lanes, writes ? lanes : 0);
  } else if (writes) {  // whoever reads it now reads no release
    for (Lanes rest = lanes; rest != 0; rest &= rest - 1) {
      const std::uint64_t address = step.address[std::countr_zero(rest)];
      if (!released_.may_have(address)) continue;
      Deed over = deed(DeedKind::kOverwrite, at, rest & (~rest + 1));
      over.object = address;
      order_.does(over);
    }
  }
  if (lanes != 0) {
    tell(writes ? Op::kWrite : Op::kRead, step, lanes);
    const Access kind = writes ? Access::kWrite : Access::kRead;
    access(at, warp, step, touch(at.base, warp.now, 0, kind, raw(step.site)), step.address, lanes,
           false);
  }
  if (writes && (step.is_volatile || signalled != 0)) ++warp.now;
}

void Barracuda::atomic(const WarpAt& at, WarpState& warp, const Step& step) {
  const bool rmw = step.kind == StepKind::kAtomicRmw;
  const Lanes wrote = rmw                                   ? step.wrote & step.lanes
                      : step.kind == StepKind::kAtomicStore ? step.lanes
                                                            : 0;
  const std::uint64_t before = order_.rules.events();
  synchronises(at, warp, step, step.lanes, wrote);
  const bool ordered = order_.rules.events() != before;
  tell(ordered ? op_of(order_.rules.last()) : op_of_atomic(step), step, step.lanes);
  if (wrote != step.lanes) {  // a compare-and-swap that failed only read
    access(at, warp, step, touch(at.base, warp.now, 0, Access::kAtomicRead, raw(step.site)),
           step.address, step.lanes & ~wrote, false);
  }
  if (wrote == 0) return;
  access(at, warp, step, touch(at.base, warp.now, 0, Access::kAtomicWrite, raw(step.site)),
         step.address, wrote, rmw && step.op != RmwOp::kReduction);
  ++warp.now;
}

// The copy's accesses are of a thread of its own (grid.h), which began with the lane's.
void Barracuda::copy(const WarpAt& at, WarpState& warp, const Step& step) {
  const ThreadIndex agent = at.base + grid_.agents;
  Step as_access = step;
  as_access.kind = StepKind::kWrite;
  access(at, warp, as_access, touch(agent, warp.copies, 0, Access::kWrite, raw(step.site)),
         step.address, step.lanes, false);
  if (step.source == nullptr) return;
  access(at, warp, as_access, touch(agent, warp.copies, 0, Access::kRead, raw(step.site)),
         step.source, step.lanes, false);
}

// Lanes with the same address are one part: addresses are walked once, in the order of lanes.
void Barracuda::access(const WarpAt& at, const WarpState& warp, const Step& step, Touch now,
                       const std::uint64_t* addresses, Lanes lanes, bool observes) {
  Accessor by{*this, at, warp, step, now, observes};
  order_.clocks.groups(at, lanes, [&](Lanes some, const WarpClocks::Known& known) {
    if (by.group_count < kWarp) by.groups[by.group_count++] = {some, &known};
  });
  std::array<std::pair<std::uint64_t, Lanes>, kWarp> parts;
  std::size_t count = 0;
  bool ascending = true;
  for (Lanes rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const std::uint64_t address = addresses[lane];
    if (count > 0 && parts[count - 1].first == address) {
      parts[count - 1].second |= Lanes{1} << lane;
      continue;
    }
    ascending &= count == 0 || parts[count - 1].first < address;
    parts[count++] = {address, Lanes{1} << lane};
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
  const bool plain_write = now.kind() == Access::kWrite;
  const unsigned size = std::max<unsigned>(step.size, 1);
  for (std::size_t i = 0; i < count; ++i) {
    by.now.lanes = parts[i].second;
    if (plain_write && !std::has_single_bit(by.now.lanes)) {
      same_instruction(step, parts[i].first, by.now.lanes);
    }
    shadow_.entries(parts[i].first, size,
                    [&](ShadowEntry& entry, std::uint64_t address, unsigned bytes) {
                      EntryRules<Accessor>(shadow_, by, entry, address, bytes).apply();
                    });
  }
}

// Lanes of one instruction write one place: a race, unless all write the same.
void Barracuda::same_instruction(const Step& step, std::uint64_t address, Lanes lanes) {
  const auto first = static_cast<unsigned>(std::countr_zero(lanes));
  unsigned other = kWarp;
  if (step.value == nullptr) {
    other = static_cast<unsigned>(std::countr_zero(lanes & (lanes - 1)));
  } else {
    for (Lanes rest = lanes & (lanes - 1); rest != 0 && other == kWarp; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      if (step.value[lane] != step.value[first]) other = lane;
    }
  }
  const bool same_value = other == kWarp;
  if (same_value && options_.filter_same_value) return counts_.add(Rule::kSameValue);
  if (same_value) other = static_cast<unsigned>(std::countr_zero(lanes & (lanes - 1)));
  counts_.add(Rule::kRaceInInstruction);
  if (options_.on_access) options_.on_access(address, step.size);
  GpuRace race;
  race.kind = RaceClass::kIntraWarp;
  race.enough = Enough::kAtomicAccess;
  race.same_value = same_value;
  race.space = is_shared(address) ? Space::kShared : Space::kGlobal;
  race.address = address;
  race.size = step.size;
  race.first.launch = launch_.id;
  race.first.block = step.block;
  race.first.site = step.site;
  race.first.kind = EventKind::kWrite;
  race.first.is_volatile = step.is_volatile;
  race.first.size = step.size;
  race.second = race.first;
  race.first.thread = step.warp * kWarp + first;
  race.second.thread = step.warp * kWarp + other;
  races_.put(race);
}

void Barracuda::found(const Accessor& by, const Touch& earlier, Lanes racing, std::uint64_t address,
                      unsigned bytes) {
  const bool with_write =
      earlier.kind() == Access::kWrite || earlier.kind() == Access::kAtomicWrite;
  counts_.add(with_write ? Rule::kRaceWithWrite : Rule::kRaceWithRead);
  if (options_.on_access) options_.on_access(address, bytes);
  const auto lane = static_cast<unsigned>(std::countr_zero(racing));
  // Of several earlier lanes, one that does race with this lane.
  Lanes rest = earlier.lanes;
  Accessor one = by;
  one.now.lanes = Lanes{1} << lane;
  while (std::popcount(rest) > 1 &&
         one.racing(earlier.warp, rest & (~rest + 1), earlier.time) == 0) {
    rest &= rest - 1;
  }
  const auto earlier_lane = static_cast<unsigned>(std::countr_zero(rest));
  const bool copied = grid_.is_agent(earlier.warp) || grid_.is_agent(by.now.warp);
  const ThreadIndex threads = earlier.warp - (grid_.is_agent(earlier.warp) ? grid_.agents : 0);
  GpuRace race;
  race.first.block = grid_.block_of(earlier.warp);
  if (threads == by.at.base) {
    const bool parted = by.warp.parted(earlier_lane, lane, earlier.time);
    race.kind = parted ? RaceClass::kBranchOrdering : RaceClass::kIntraWarp;
    race.enough = Enough::kWarpSync;
    race.wide_enough = Scope::kBlock;
  } else if (race.first.block == by.at.block) {
    race.kind = RaceClass::kIntraBlock;
    race.enough = Enough::kBlockBarrier;
    race.wide_enough = Scope::kBlock;
  } else {
    race.kind = RaceClass::kInterBlock;
    race.enough = Enough::kGridOrder;
    race.wide_enough = Scope::kDevice;
  }
  if (copied) {
    race.kind = RaceClass::kAsyncCopy;
    if (grid_.is_agent(earlier.warp)) race.enough = Enough::kWaitForCopy;
  }
  race.space = is_shared(address) ? Space::kShared : Space::kGlobal;
  race.address = address;
  race.size = bytes;
  race.first.launch = race.second.launch = launch_.id;
  race.first.thread = grid_.thread_of(earlier.warp) + earlier_lane;
  race.first.site = SiteId{earlier.site};
  race.first.kind = event_of(earlier.kind());
  race.first.is_async = grid_.is_agent(earlier.warp);
  race.first.size = static_cast<std::uint8_t>(bytes);
  race.second.block = by.at.block;
  race.second.thread = by.at.warp * kWarp + lane;
  race.second.site = by.step.site;
  race.second.kind = event_of(by.now.kind());
  race.second.order = by.step.order;
  race.second.scope = by.step.scope;
  race.second.is_volatile = by.step.is_volatile;
  race.second.is_async = grid_.is_agent(by.now.warp);
  race.second.size = by.step.size;
  races_.put(race);
}

// Memory that a kernel allocates has no past. (Between launches all entries are new anyway.)
void Barracuda::host(const HostStep& step) {
  if (!running_ || (step.kind != HostKind::kAlloc && step.kind != HostKind::kFree)) return;
  shadow_.forget(step.address, step.size);
}

std::uint64_t Barracuda::count(Rule rule) const {
  return counts_.of(rule) + order_.rules.of(rule);
}

std::size_t Barracuda::metadata_bytes() const {
  std::size_t sum = sizeof(*this) + shadow_.bytes() + order_.bytes() + blocks_.capacity() * 8;
  for (const auto& state : blocks_) {
    if (state) sum += sizeof(Block) + state->warps.capacity() * sizeof(WarpState);
  }
  return sum;
}

std::vector<Counter> Barracuda::stats() const {
  std::vector<Counter> out{{"steps", static_cast<double>(steps_), ""}};
  for (std::size_t i = 0; i < kOpCount; ++i) {
    out.push_back({std::string(kOpNames[i]), static_cast<double>(operations_[i]), ""});
  }
  for (const RuleRow<Rule>& row : kRules) {
    out.push_back({std::string(row.name), static_cast<double>(count(row.rule)), ""});
  }
  const WarpClocks::Formats formats = order_.clocks.formats();
  const auto put = [&](const char* name, std::size_t value) {
    out.push_back({name, static_cast<double>(value), ""});
  };
  put("warps converged", formats.converged);
  put("warps diverged", formats.diverged);
  put("warps nested diverged", formats.nested);
  put("warps with sparse clocks", formats.sparse);
  put("races", races_.size());
  out.push_back({"metadata", static_cast<double>(metadata_bytes()), "bytes"});
  return out;
}

}  // namespace redflag::gpu::barracuda
