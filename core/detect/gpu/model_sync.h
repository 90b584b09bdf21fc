// Model, part two: launches and what orders threads. Included by model.h only.
#pragma once

#include <algorithm>
#include <bit>
#include <utility>

#include "core/detect/gpu/model.h"

namespace redflag::gpu {

constexpr bool is_instruction_of_memory(StepKind kind) {
  return kind <= StepKind::kFence || kind == StepKind::kMbarrierInit ||
         kind == StepKind::kMbarrierArrive || kind == StepKind::kMbarrierWait ||
         kind == StepKind::kMbarrierInval || kind == StepKind::kAsyncCopy;
}

template <typename C, typename S>
Model<C, S>::Model(PtxModelOptions options)
    : options_(std::move(options)),
      worlds_({.atomics_acquire = options_.strictness == Strictness::kCuda,
               .any_fence_travels = options_.strictness == Strictness::kCuda,
               .implied_volatile = options_.strictness == Strictness::kPtx},
              options_.explain, options_.explain_budget) {
  together_orders_ = options_.convergence == Convergence::kByLevel
                         ? options_.strictness == Strictness::kCuda
                         : options_.convergence != Convergence::kNothing;
}

template <typename C, typename S>
void Model<C, S>::launch_begins(const Launch& launch) {
  if (host_order_.count() + 1 >= kMostLaunches) {
    shadow_.clear();
    host_accesses_.clear();
    launches_.clear();
    host_order_.restart();
  }
  running_ = true;
  launch_ = launch;
  grid_ = Grid(launch);
  number_ = host_order_.launch(launch);
  launches_.push_back({number_, launch.id, grid_});
  concurrent_.clear();
  for (const HostAccess& one : host_accesses_) {
    if (!host_order_.knows(number_, one.number)) concurrent_.push_back(one);
  }
  blocks_.clear();
  blocks_.resize(grid_.blocks);
  strong_.clear();
  worlds_.begin(grid_);
}

template <typename C, typename S>
void Model<C, S>::launch_ends(LaunchId /*launch*/) {
  for (std::uint32_t b = 0; b < blocks_.size(); ++b) {
    if (!blocks_[b]) continue;
    for (const BarrierRound& round : blocks_[b]->rounds) {
      if (!round.complete) check_whole_warps(b, *blocks_[b], round);
    }
  }
  running_ = false;
  shadow_.forget_shared();
  blocks_.clear();
  worlds_.end();
  Clock::forget_joins();
}

template <typename C, typename S>
BlockState& Model<C, S>::block(std::uint64_t number) {
  std::unique_ptr<BlockState>& state = blocks_[number];
  if (!state) {
    state = std::make_unique<BlockState>();
    state->warps.resize(grid_.block_warps);
    state->live = grid_.block_warps;
    for (std::uint32_t w = 0; w < grid_.block_warps; ++w) state->warps[w].live = grid_.lanes(w);
  }
  return *state;
}

template <typename C, typename S>
void Model<C, S>::step(const Step& step) {
  ++steps_;
  if (step.lanes == 0 || step.block >= grid_.blocks || step.warp >= grid_.block_warps) return;
  const WarpAt at = grid_.warp(step.block, step.warp);
  BlockState& state = block(step.block);
  WarpState& warp = state.warps[step.warp];
  // Who does something more after arriving did not wait: his clock counts as it was then.
  if ((warp.waiting & step.lanes) != 0 && step.kind != StepKind::kBarrierPass) {
    tell(at, state, step.lanes);
  }
  // Lanes of one instruction come after what the others did in earlier ones.
  if (together_orders_ && is_instruction_of_memory(step.kind)) {
    const Lanes together = lockstep() ? warp.path(step.lanes) : step.converged & step.lanes;
    if (!std::has_single_bit(together) && together != 0) {
      worlds_.does(deed(DeedKind::kTogether, at, together, warp.now));
      ++warp.now;
    }
  }
  switch (step.kind) {
    case StepKind::kRead:
    case StepKind::kWrite:
    case StepKind::kAtomicLoad:
    case StepKind::kAtomicStore:
    case StepKind::kAtomicRmw:
      return memory(at, state, step);
    case StepKind::kFence:
      return fence(at, warp, step);
    case StepKind::kWarpSync:
      return sync_warp(at, warp, step.lanes);
    case StepKind::kBarrierArrive:
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
      if (lockstep()) sync_warp(at, warp, step.lanes | step.other);
      return warp.part(step.lanes, step.other);
    case StepKind::kReconverge:
      if (lockstep()) sync_warp(at, warp, step.lanes);
      return warp.reconverge(step.lanes);
    case StepKind::kExit:
      return exits(at, state, step.lanes);
  }
}

template <typename C, typename S>
void Model<C, S>::sync_warp(const WarpAt& at, WarpState& warp, Lanes lanes) {
  worlds_.does(deed(DeedKind::kSyncWarp, at, lanes, warp.now));
  ++warp.now;
}

template <typename C, typename S>
void Model<C, S>::exits(const WarpAt& at, BlockState& state, Lanes lanes) {
  WarpState& warp = state.warps[at.warp];
  const bool lived = warp.live != 0;
  warp.live &= ~lanes;
  if (!lived || warp.live != 0 || --state.live != 0) return;
  // The block has ended: nobody asks for its threads' clocks any more, and its memory is gone.
  worlds_.does(deed(DeedKind::kBlockEnds, at, 0));
  if (launch_.shared_bytes != 0) shadow_.forget(shared_address(at.block, 0), launch_.shared_bytes);
  blocks_[at.block].reset();
}

template <typename C, typename S>
void Model<C, S>::fence(const WarpAt& at, WarpState& warp, const Step& step) {
  Deed fence = deed(DeedKind::kFence, at, step.lanes, warp.now);
  fence.level = level_of(step.scope);
  fence.order = step.order;
  worlds_.does(fence);
  ++warp.now;
}

inline Meeting meeting_of(std::uint32_t block, const BarrierRound& round) {
  return {MeetingKind::kBlockBarrier, std::uint64_t{block} << 8 | round.object, round.round};
}
inline DeedKind arrival(const Step& step) {
  return step.order == Order::kRelaxed ? DeedKind::kArriveRelaxed : DeedKind::kArrive;
}

// Of a meeting at most two rounds are under way.
template <typename C, typename S>
void Model<C, S>::forget_before(const WarpAt& at, const Meeting& meeting) {
  if (meeting.round < 2) return;
  const Meeting old{meeting.kind, meeting.object, meeting.round - 2};
  worlds_.does(deed(DeedKind::kForget, at, 0, old));
}

template <typename C, typename S>
void Model<C, S>::barrier_arrive(const WarpAt& at, BlockState& state, const Step& step) {
  BarrierRound& round = state.round(step.object, step.round);
  WarpState& warp = state.warps[at.warp];
  GpuSide self;
  self.launch = launch_.id;
  self.block = at.block;
  self.site = step.site;
  self.thread = at.warp * kWarp + static_cast<std::uint32_t>(std::countr_zero(step.lanes));
  const bool whole_block = step.expected == 0;  // __syncthreads(), not bar.sync with a count
  const bool is_first = std::all_of(round.arrived.begin(), round.arrived.end(),
                                    [](Lanes lanes) { return lanes == 0; });
  if (is_first) round.first = self;
  round.aligned |= step.aligned;
  if (step.aligned && whole_block && !is_first && round.first.site != step.site) {
    divergence(at, round.object, round.first, self);
  }
  if (round.arrived[at.warp] == 0) round.sites[at.warp] = step.site;
  round.arrived[at.warp] |= step.lanes;
  warp.waiting |= step.lanes;
}

// Lanes that arrived and go on without having passed: what they did until now is in the meeting.
template <typename C, typename S>
void Model<C, S>::tell(const WarpAt& at, BlockState& state, Lanes lanes) {
  WarpState& warp = state.warps[at.warp];
  for (BarrierRound& round : state.rounds) {
    if (round.complete) continue;
    const Lanes some = round.arrived[at.warp] & ~round.told[at.warp] & lanes;
    if (some == 0) continue;
    const Meeting meeting = meeting_of(at.block, round);
    worlds_.does(deed(DeedKind::kArrive, at, some, meeting, warp.now));
    round.told[at.warp] |= some;
  }
  ++warp.now;
  warp.waiting &= ~lanes;
}

// A barrier for whole warps that only a part of a warp has reached.
template <typename C, typename S>
void Model<C, S>::check_whole_warps(std::uint32_t block, const BlockState& state,
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
    divergence(grid_.warp(block, w), round.object, arrived, other);
  }
}

template <typename C, typename S>
void Model<C, S>::complete(const WarpAt& at, BlockState& state, BarrierRound& round) {
  round.complete = true;
  check_whole_warps(at.block, state, round);
  ++barriers_;
  round.full = true;
  Time now = 0;
  for (std::uint32_t w = 0; w < grid_.block_warps; ++w) {
    round.full &= round.arrived[w] == grid_.lanes(w) && round.told[w] == 0;
    now = std::max(now, state.warps[w].now);
  }
  if (round.full) {  // the common case: one time for the whole block
    ++full_barriers_;
    worlds_.does(deed(DeedKind::kSyncBlock, at, 0, now));
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
    worlds_.does(deed(DeedKind::kArrive, grid_.warp(at.block, w), some, meeting, warp.now));
    ++warp.now;
    warp.waiting &= ~some;
  }
  forget_before(at, meeting);
}

template <typename C, typename S>
void Model<C, S>::barrier_pass(const WarpAt& at, BlockState& state, const Step& step) {
  BarrierRound& round = state.round(step.object, step.round);
  if (!round.complete) complete(at, state, round);
  if (round.full) return;
  const Meeting meeting = meeting_of(at.block, round);
  worlds_.does(deed(DeedKind::kPass, at, step.lanes, meeting));
}

template <typename C, typename S>
void Model<C, S>::cluster_barrier(const WarpAt& at, WarpState& warp, const Step& step) {
  const Meeting meeting{MeetingKind::kClusterBarrier, grid_.cluster_of(at.block), step.round};
  if (step.kind == StepKind::kClusterPass) {
    worlds_.does(deed(DeedKind::kPass, at, step.lanes, meeting));
    return;
  }
  worlds_.does(deed(arrival(step), at, step.lanes, meeting, warp.now));
  forget_before(at, meeting);
  ++warp.now;
}

// An mbarrier is memory too: making and destroying it are writes, the rest is atomic.
template <typename C, typename S>
void Model<C, S>::barrier_object(const WarpAt& at, WarpState& warp, const Step& step) {
  Step as_access = step;
  as_access.size = 8;
  const bool plain = step.kind == StepKind::kMbarrierInit || step.kind == StepKind::kMbarrierInval;
  as_access.kind = plain ? StepKind::kWrite : StepKind::kAtomicRmw;
  if (!plain && step.scope == Scope::kSystem) as_access.scope = Scope::kCluster;
  Record record = record_of(at, warp, as_access);
  if (!plain) record.writes = step.kind == StepKind::kMbarrierArrive;
  const auto each = [&](auto f) {
    for (Lanes rest = step.lanes; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      f(Lanes{1} << lane, Meeting{MeetingKind::kBarrierObject, step.address[lane], step.round});
    }
  };
  if (step.kind == StepKind::kMbarrierWait && step.order != Order::kRelaxed) {
    each([&](Lanes self, const Meeting& meeting) {
      worlds_.does(deed(DeedKind::kPass, at, self, meeting));
    });
  }
  access(at, warp, as_access, record, step.address, step.lanes);
  if (step.kind != StepKind::kMbarrierArrive) return;
  each([&](Lanes self, const Meeting& meeting) {
    worlds_.does(deed(arrival(step), at, self, meeting, warp.now));
    forget_before(at, meeting);
  });
  ++warp.now;
}

template <typename C, typename S>
void Model<C, S>::waits_for_copies(const WarpAt& at, WarpState& warp, const Step& step) {
  constexpr std::uint32_t kAll = ~0U;
  for (Lanes rest = step.lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const Time time = step.object == kAll ? warp.copies : warp.copied(lane, step.object);
    if (time == 0) continue;
    // Each lane learns of its own copies only.
    worlds_.does(deed(DeedKind::kCopyKnown, at, Lanes{1} << lane, time));
  }
  if (step.object == kAll) ++warp.copies;
  ++warp.now;
  if (warp.groups.size() > 64) warp.groups.erase(warp.groups.begin(), warp.groups.end() - 64);
}

template <typename C, typename S>
void Model<C, S>::copies_arrive(const WarpAt& at, WarpState& warp, const Step& step) {
  for (Lanes rest = step.lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const Meeting meeting{MeetingKind::kBarrierObject, step.address[lane], step.round};
    worlds_.does(deed(DeedKind::kCopyArrive, at, Lanes{1} << lane, meeting, warp.copies));
  }
  ++warp.copies;
}

}  // namespace redflag::gpu
