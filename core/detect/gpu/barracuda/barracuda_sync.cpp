// barracuda, part two: what orders threads. Figure 5.4's ENDINSN, IF and ELSEENDIF; figure 5.5's BAR,
// acquire and release; and what newer PTX has, in the same words: a barrier object or a barrier of a
// cluster is a bar of those who take part, cluster scope is global, a copy is a thread of its own.
#include <algorithm>
#include <bit>

#include "core/detect/gpu/barracuda/barracuda.h"

namespace redflag::gpu::barracuda {
namespace {

Meeting meeting_of(std::uint32_t block, const BarrierRound& round) {
  return {MeetingKind::kBlockBarrier, std::uint64_t{block} << 8 | round.object, round.round};
}
DeedKind arrival(const Step& step) {
  return step.order == Order::kRelaxed ? DeedKind::kArriveRelaxed : DeedKind::kArrive;
}
Lanes lane_bit(unsigned lane) {
  return Lanes{1} << lane;
}
template <typename F>
void each_lane(Lanes lanes, F f) {
  for (Lanes rest = lanes; rest != 0; rest &= rest - 1) {
    f(static_cast<unsigned>(std::countr_zero(rest)));
  }
}

}  // namespace

// ENDINSN of the warp's instruction before this one: what was active then and is active now.
void Barracuda::end_instruction(const WarpAt& at, WarpState& warp, const Step& step) {
  const Lanes active = warp.partings.empty() ? warp.live | step.lanes : warp.path(step.lanes);
  counts_.add(Rule::kEndInstruction);
  tell(Op::kEndInstruction, step, active);
  if (!std::has_single_bit(active)) order_.does(deed(DeedKind::kTogether, at, active, warp.now));
  ++warp.now;
}

void Barracuda::sync_warp(const WarpAt& at, WarpState& warp, Lanes lanes) {
  order_.does(deed(DeedKind::kSyncWarp, at, lanes, warp.now));
  ++warp.now;
}

void Barracuda::fence(const WarpAt& at, Block& state, const Step& step) {
  WarpState& warp = state.warps[at.warp];
  Deed one = deed(DeedKind::kFence, at, step.lanes, warp.now);
  one.level = level_of(step.scope);
  one.order = step.order;
  const std::uint64_t before = order_.rules.events();
  order_.does(one);
  if (order_.rules.events() != before) tell(op_of(order_.rules.last()), step, step.lanes);
  ++warp.now;
  state.fenced[at.warp].fence(step.lanes, is_global(one.level));
}

void Barracuda::exits(const WarpAt& at, Block& state, Lanes lanes) {
  WarpState& warp = state.warps[at.warp];
  const bool lived = warp.live != 0;
  warp.live &= ~lanes;
  if (!lived || warp.live != 0 || --state.live != 0) return;
  order_.does(deed(DeedKind::kBlockEnds, at, 0));
  shadow_.forget_block(at.block, launch_.shared_bytes);
  blocks_[at.block].reset();
}

void Barracuda::diverges(const GpuSide& arrived, const GpuSide& elsewhere, std::uint32_t object) {
  counts_.add(Rule::kBarrierDivergence);
  GpuRace race;
  race.kind = RaceClass::kBarrierDivergence;
  race.enough = Enough::kWholeWarp;
  race.space = Space::kShared;
  race.barrier = object;
  race.first = arrived;
  race.second = elsewhere;
  races_.put(race);
}

void Barracuda::barrier_arrive(const WarpAt& at, Block& state, const Step& step) {
  BarrierRound& round = state.round(step.object, step.round);
  GpuSide self;
  self.launch = launch_.id;
  self.block = at.block;
  self.site = step.site;
  self.thread = at.warp * kWarp + static_cast<std::uint32_t>(std::countr_zero(step.lanes));
  const bool is_first = std::all_of(round.arrived.begin(), round.arrived.end(),
                                    [](Lanes lanes) { return lanes == 0; });
  if (is_first) round.first = self;
  round.aligned |= step.aligned;
  const bool whole_block = step.expected == 0;
  if (step.aligned && whole_block && !is_first && round.first.site != step.site) {
    diverges(round.first, self, round.object);
  }
  if (round.arrived[at.warp] == 0) round.sites[at.warp] = step.site;
  round.arrived[at.warp] |= step.lanes;
  state.warps[at.warp].waiting |= step.lanes;
}

// Lanes that arrived and go on without having passed (bar.arrive): what they did until now counts.
void Barracuda::goes_on(const WarpAt& at, Block& state, Lanes lanes) {
  WarpState& warp = state.warps[at.warp];
  for (BarrierRound& round : state.rounds) {
    if (round.complete) continue;
    const Lanes some = round.arrived[at.warp] & ~round.told[at.warp] & lanes;
    if (some == 0) continue;
    order_.does(deed(DeedKind::kArrive, at, some, meeting_of(at.block, round), warp.now));
    round.told[at.warp] |= some;
  }
  ++warp.now;
  warp.waiting &= ~lanes;
}

// BAR's premise for barriers of whole warps: all threads are active.
void Barracuda::check_whole_warps(std::uint32_t block, const Block& state,
                                  const BarrierRound& round) {
  if (!round.aligned) return;
  for (std::uint32_t w = 0; w < grid_.block_warps; ++w) {
    const Lanes missing = state.warps[w].live & ~round.arrived[w];
    if (round.arrived[w] == 0 || missing == 0) continue;
    GpuSide arrived;
    arrived.launch = launch_.id;
    arrived.block = block;
    arrived.site = round.sites[w];
    GpuSide other = arrived;
    other.site = SiteId{0};
    arrived.thread = w * kWarp + static_cast<std::uint32_t>(std::countr_zero(round.arrived[w]));
    other.thread = w * kWarp + static_cast<std::uint32_t>(std::countr_zero(missing));
    diverges(arrived, other, round.object);
  }
}

// The common case is "broadcast the highest clock of the block" (section 5.5.3, Barriers).
void Barracuda::complete(const WarpAt& at, Block& state, BarrierRound& round, const Step& step) {
  round.complete = true;
  check_whole_warps(at.block, state, round);
  counts_.add(Rule::kBarrier);
  tell(Op::kBarrier, step, step.lanes);
  round.full = true;
  Time now = 0;
  for (std::uint32_t w = 0; w < grid_.block_warps; ++w) {
    round.full &= round.arrived[w] == grid_.lanes(w) && round.told[w] == 0;
    now = std::max(now, state.warps[w].now);
  }
  if (round.full) {
    order_.does(deed(DeedKind::kSyncBlock, at, 0, now));
    for (WarpState& warp : state.warps) {
      warp.now = now + 1;
      warp.waiting = 0;
    }
    return;
  }
  const Meeting meeting = meeting_of(at.block, round);
  for (std::uint32_t w = 0; w < grid_.block_warps; ++w) {
    const Lanes some = round.arrived[w] & ~round.told[w];
    if (some == 0) continue;
    WarpState& warp = state.warps[w];
    order_.does(deed(DeedKind::kArrive, grid_.warp(at.block, w), some, meeting, warp.now));
    ++warp.now;
    warp.waiting &= ~some;
  }
  forget_before(at, meeting);
}

void Barracuda::barrier_pass(const WarpAt& at, Block& state, const Step& step) {
  BarrierRound& round = state.round(step.object, step.round);
  if (!round.complete) complete(at, state, round, step);
  if (round.full) return;
  order_.does(deed(DeedKind::kPass, at, step.lanes, meeting_of(at.block, round)));
}

// Of a meeting at most two rounds are under way.
void Barracuda::forget_before(const WarpAt& at, const Meeting& meeting) {
  if (meeting.round < 2) return;
  const Meeting old{meeting.kind, meeting.object, meeting.round - 2};
  order_.does(deed(DeedKind::kForget, at, 0, old));
}

void Barracuda::cluster_barrier(const WarpAt& at, WarpState& warp, const Step& step) {
  const Meeting meeting{MeetingKind::kClusterBarrier, grid_.cluster_of(at.block), step.round};
  if (step.kind == StepKind::kClusterPass) {
    order_.does(deed(DeedKind::kPass, at, step.lanes, meeting));
    return;
  }
  order_.does(deed(arrival(step), at, step.lanes, meeting, warp.now));
  forget_before(at, meeting);
  ++warp.now;
}

// An mbarrier is memory too: making and destroying it are writes, the rest is atomic.
void Barracuda::barrier_object(const WarpAt& at, WarpState& warp, const Step& step) {
  if (step.address == nullptr) return;
  Step as_access = step;
  as_access.size = 8;
  const bool plain = step.kind == StepKind::kMbarrierInit || step.kind == StepKind::kMbarrierInval;
  const Access kind = plain                                    ? Access::kWrite
                      : step.kind == StepKind::kMbarrierArrive ? Access::kAtomicWrite
                                                               : Access::kAtomicRead;
  const auto meeting = [&](unsigned lane) {
    return Meeting{MeetingKind::kBarrierObject, step.address[lane], step.round};
  };
  if (step.kind == StepKind::kMbarrierWait && step.order != Order::kRelaxed) {
    each_lane(step.lanes, [&](unsigned lane) {
      order_.does(deed(DeedKind::kPass, at, lane_bit(lane), meeting(lane)));
    });
  }
  as_access.value = nullptr;
  const Touch now = touch(at.base, warp.now, 0, kind, raw(step.site));
  access(at, warp, as_access, now, step.address, step.lanes, kind == Access::kAtomicWrite);
  if (step.kind != StepKind::kMbarrierArrive) return;
  each_lane(step.lanes, [&](unsigned lane) {
    order_.does(deed(arrival(step), at, lane_bit(lane), meeting(lane), warp.now));
    forget_before(at, meeting(lane));
  });
  ++warp.now;
}

void Barracuda::waits_for_copies(const WarpAt& at, WarpState& warp, const Step& step) {
  constexpr std::uint32_t kAll = ~0U;
  each_lane(step.lanes, [&](unsigned lane) {
    const Time time = step.object == kAll ? warp.copies : warp.copied(lane, step.object);
    if (time != 0) order_.does(deed(DeedKind::kCopyKnown, at, lane_bit(lane), time));
  });
  if (step.object == kAll) ++warp.copies;
  ++warp.now;
  constexpr std::ptrdiff_t kMostGroups = 64;
  if (std::ssize(warp.groups) > kMostGroups) {
    warp.groups.erase(warp.groups.begin(), warp.groups.end() - kMostGroups);
  }
}

void Barracuda::copies_arrive(const WarpAt& at, WarpState& warp, const Step& step) {
  if (step.address == nullptr) return;
  each_lane(step.lanes, [&](unsigned lane) {
    const Meeting meeting{MeetingKind::kBarrierObject, step.address[lane], step.round};
    order_.does(deed(DeedKind::kCopyArrive, at, lane_bit(lane), meeting, warp.copies));
  });
  ++warp.copies;
}

// Plain accesses beside fences: a store right behind one releases, and is a signal, not data; a load
// of what was released so acquires with the lane's next fence. Returns the lanes that signalled.
Lanes Barracuda::signals(const WarpAt& at, Block& state, const Step& step) {
  const WarpState& warp = state.warps[at.warp];
  const FencedLanes& fenced = state.fenced[at.warp];
  if (step.kind == StepKind::kRead) {
    each_lane(any_signal_ && !step.is_volatile ? step.lanes : 0, [&](unsigned lane) {
      if (!released_.may_have(step.address[lane])) return;
      Deed one = deed(DeedKind::kObserve, at, lane_bit(lane), warp.now);
      one.object = step.address[lane];
      one.level = Level::kDevice;
      one.is_compare_swap = true;  // waits for its fence
      order_.does(one);
    });
    return 0;
  }
  const Lanes lanes = fenced.fenced() & step.lanes;
  each_lane(lanes, [&](unsigned lane) {
    const bool global = fenced.is_global(lane);
    Deed one = deed(DeedKind::kPublish, at, lane_bit(lane), warp.now);
    one.object = step.address[lane];
    one.level = global ? Level::kDevice : Level::kBlock;
    order_.does(one);  // publishes what the fence did
    released_.add(one.object);
    any_signal_ = true;
    tell(release(global), step, one.lanes);
    shadow_.entries(one.object, step.size,
                    [](ShadowEntry& x, std::uint64_t, unsigned) { x.sync = 1; });
  });
  return lanes;
}

// Atomics and volatile accesses, in the order of lanes: read-modify-writes of one instruction come one
// after the other, and each observes what those before it published. Neighbours at one address are
// one deed: in lockstep, what each would learn of the others it knows already. But for stores, of
// which the last is seen, and for releases, which publish the instruction itself.
void Barracuda::synchronises(const WarpAt& at, const WarpState& warp, const Step& step, Lanes lanes,
                             Lanes wrote) {
  const bool is_volatile = step.kind == StepKind::kRead || step.kind == StepKind::kWrite;
  const DeedKind writing =
      step.kind == StepKind::kAtomicRmw ? DeedKind::kModify : DeedKind::kPublish;
  Deed one = deed(DeedKind::kObserve, at, 0, warp.now);
  one.order = step.order;
  one.level = is_volatile ? Level::kDevice : level_of(step.scope);
  one.is_compare_swap = step.op == RmwOp::kCompareSwap;
  one.is_reduction = step.op == RmwOp::kReduction;
  one.is_volatile = is_volatile;
  const bool alone = is_release(step.order);
  const auto put = [&] {
    if (one.lanes == 0) return;
    if (one.kind != DeedKind::kObserve) {
      released_.add(one.object);
    } else if (!released_.may_have(one.object)) {
      return;
    }
    order_.does(one);
  };
  each_lane(lanes, [&](unsigned lane) {
    const DeedKind kind = (wrote >> lane & 1) != 0 ? writing : DeedKind::kObserve;
    const std::uint64_t address = step.address[lane];
    if (alone || kind == DeedKind::kPublish || kind != one.kind || address != one.object) {
      put();
      one.kind = kind;
      one.object = address;
      one.lanes = 0;
    }
    one.lanes |= lane_bit(lane);
  });
  put();
}

}  // namespace redflag::gpu::barracuda
