// StreamSteps, part two: barriers of blocks and clusters, barrier objects, asynchronous copies.
#include <algorithm>
#include <bit>

#include "frontends/cuda/device/stream_steps.h"

namespace redflag::device {
namespace {

// Calls with the lanes that have one key, key by key, in the order of lanes.
template <typename Key, typename Visitor>
void each_key(Lanes lanes, Key key, Visitor visitor) {
  while (lanes != 0) {
    const auto wanted = key(static_cast<unsigned>(std::countr_zero(lanes)));
    Lanes same = 0;
    each_lane(lanes, [&](unsigned lane) {
      if (key(lane) == wanted) same |= Lanes{1} << lane;
    });
    visitor(wanted, same);
    lanes &= ~same;
  }
}

}  // namespace

void StreamSteps::barrier_arrive(const By& by) {
  const std::uint32_t number = by.event.argument & 0xff;
  if (number >= kBarriersOfBlock) return;
  const std::uint32_t threads = by.event.argument >> 8;
  const std::uint32_t needed = (threads + gpu::kWarp - 1) / gpu::kWarp * gpu::kWarp;
  HeldArrival& held = by.warp.held;
  if (held.lanes != 0 && (held.number != number || held.site != by.event.site)) {
    tell_held(by.block, by.event.warp);
  }
  if (!by.event.what.aligned) {
    return arrive(by.block, by.event.warp, {by.event.lanes, number, needed, by.event.site}, false);
  }
  held = {held.lanes | by.event.lanes, number, needed, by.event.site};
  if (held.lanes == by.warp.live) tell_held(by.block, by.event.warp);
}

void StreamSteps::tell_held(StreamBlock& block, std::uint32_t warp) {
  const HeldArrival held = block.warps[warp].held;
  if (held.lanes == 0) return;
  block.warps[warp].held = {};
  arrive(block, warp, held, true);
}

void StreamSteps::arrive(StreamBlock& block, std::uint32_t warp, const HeldArrival& what,
                         bool aligned) {
  StreamBarrier& barrier = block.barriers[what.number];
  barrier.arrived.resize(block.warps.size());
  barrier.arrived[warp] |= what.lanes;
  barrier.needed = what.needed;
  auto& rounds = block.warps[warp].rounds[what.number];
  each_lane(what.lanes, [&](unsigned lane) { rounds[lane] = barrier.round; });
  gpu::Step made;
  made.kind = gpu::StepKind::kBarrierArrive;
  made.lanes = made.converged = what.lanes;
  made.warp = warp;
  made.block = block.index;
  made.site = gpu::SiteId{what.site};
  made.order = Order::kAcqRel;
  made.scope = Scope::kBlock;
  made.object = what.number;
  made.round = barrier.round;
  made.aligned = aligned;
  made.expected = what.needed;
  sink_.step(made);
  complete_barrier(block, what.number);
}

void StreamSteps::complete_barrier(StreamBlock& block, std::uint32_t number) {
  StreamBarrier& barrier = block.barriers[number];
  if (barrier.arrived.empty()) return;
  std::uint32_t arrived = 0;
  for (std::size_t w = 0; w < block.warps.size(); ++w) {
    const Lanes lanes = barrier.arrived[w];
    // Where a number of threads is given, the hardware counts whole warps.
    const bool whole = lanes != 0 && barrier.needed != 0 && (block.warps[w].live & ~lanes) == 0;
    arrived += whole ? gpu::kWarp : static_cast<std::uint32_t>(std::popcount(lanes));
  }
  if (arrived == 0 || arrived < (barrier.needed != 0 ? barrier.needed : block.live)) return;
  barrier.arrived.clear();
  ++barrier.round;
}

void StreamSteps::barrier_pass(const By& by) {
  const std::uint32_t number = by.event.argument & 0xff;
  if (number >= kBarriersOfBlock) return;
  StreamBarrier& barrier = by.block.barriers[number];
  // Who passes has waited for all who arrived before, also for parts of warps.
  for (std::uint32_t w = 0; w < by.block.warps.size(); ++w) {
    if (by.block.warps[w].held.number == number) tell_held(by.block, w);
  }
  const auto& rounds = by.warp.rounds[number];
  each_key(
      by.event.lanes, [&](unsigned lane) { return rounds[lane]; },
      [&](std::uint32_t round, Lanes lanes) {
        if (barrier.round <= round) {  // the hardware needed fewer than were counted on
          barrier.arrived.clear();
          barrier.round = round + 1;
        }
        gpu::Step made = step(by, gpu::StepKind::kBarrierPass, lanes);
        made.order = Order::kAcqRel;
        made.scope = Scope::kBlock;
        made.object = number;
        made.round = round;
        sink_.step(made);
      });
}

void StreamSteps::cluster_arrive(const By& by) {
  StreamCluster& cluster = cluster_of(by.block);
  each_lane(by.event.lanes, [&](unsigned lane) { by.warp.cluster_round[lane] = cluster.round; });
  cluster.arrived += static_cast<std::uint32_t>(std::popcount(by.event.lanes));
  gpu::Step made = step(by, gpu::StepKind::kClusterArrive, by.event.lanes);
  made.scope = Scope::kCluster;
  made.round = cluster.round;
  sink_.step(made);
  complete_cluster(cluster);
}

void StreamSteps::complete_cluster(StreamCluster& cluster) {
  if (cluster.arrived == 0 || cluster.arrived < cluster.live) return;
  cluster.arrived = 0;
  ++cluster.round;
}

void StreamSteps::cluster_pass(const By& by) {
  StreamCluster& cluster = cluster_of(by.block);
  each_key(
      by.event.lanes, [&](unsigned lane) { return by.warp.cluster_round[lane]; },
      [&](std::uint32_t round, Lanes lanes) {
        if (cluster.round <= round) {
          cluster.arrived = 0;
          cluster.round = round + 1;
        }
        gpu::Step made = step(by, gpu::StepKind::kClusterPass, lanes);
        made.scope = Scope::kCluster;
        made.round = round;
        sink_.step(made);
      });
}

// Init, inval and waits: told for all lanes whose objects are in one phase.
void StreamSteps::mbarrier(const By& by, gpu::StepKind kind) {
  const bool waits = kind == gpu::StepKind::kMbarrierWait;
  const auto round = [&](unsigned lane) -> std::uint32_t {
    return waits ? mbarriers_[addresses_[lane]].phase - 1 : 0;
  };
  each_lane(waits ? 0 : by.event.lanes, [&](unsigned lane) {
    const auto count = static_cast<std::uint32_t>(by.event.value[lane]);
    mbarriers_[addresses_[lane]] = {count, count, 0, 0};
  });
  each_key(by.event.lanes, round, [&](std::uint32_t phase, Lanes lanes) {
    gpu::Step made = step(by, kind, lanes);
    made.space = gpu::Space::kShared;
    made.size = 8;
    made.address = addresses_;
    made.round = phase;
    sink_.step(made);
  });
}

// Lane after lane, told together as long as they are of one phase.
void StreamSteps::mbarrier_arrive(const By& by) {
  const auto tell = [&](Lanes lanes, std::uint32_t round) {
    if (lanes == 0) return;
    gpu::Step made = step(by, gpu::StepKind::kMbarrierArrive, lanes);
    made.space = gpu::Space::kShared;
    made.size = 8;
    made.address = addresses_;
    made.round = round;
    sink_.step(made);
  };
  Lanes untold = 0;
  std::uint32_t round = 0;
  each_lane(by.event.lanes, [&](unsigned lane) {
    const auto count = static_cast<std::uint32_t>(by.event.value[lane]);
    const auto bytes = static_cast<std::int32_t>(by.event.value[lane] >> 32);
    StreamMbarrier& object = mbarriers_[addresses_[lane]];
    const std::uint32_t now = object.phase;
    object.arrive(count, bytes, by.event.what.aligned);
    if (count == 0 && by.event.what.order == Order::kPlain) return;  // bytes alone order nothing
    if (now != round) {
      tell(untold, round);
      untold = 0;
    }
    round = now;
    untold |= Lanes{1} << lane;
  });
  tell(untold, round);
}

void StreamSteps::async_copy(const By& by) {
  constexpr std::uint64_t kPiece = 128;
  each_key(
      by.event.lanes, [&](unsigned lane) { return by.event.value[lane]; },
      [&](std::uint64_t bytes, Lanes lanes) {
        for (std::uint64_t at = 0; at < bytes; at += kPiece) {
          gpu::Step made = step(by, gpu::StepKind::kAsyncCopy, lanes);
          made.order = Order::kPlain;
          made.scope = Scope::kSystem;
          made.size = static_cast<std::uint8_t>(std::min(kPiece, bytes - at));
          made.source = sources_;
          tell_memory(made, addresses_);
          each_lane(lanes, [&](unsigned lane) {
            addresses_[lane] += kPiece;
            sources_[lane] += kPiece;
          });
        }
      });
}

void StreamSteps::async_arrive(const By& by) {
  each_key(
      by.event.lanes, [&](unsigned lane) { return mbarriers_[addresses_[lane]].phase; },
      [&](std::uint32_t round, Lanes lanes) {
        gpu::Step made = step(by, gpu::StepKind::kAsyncArrive, lanes);
        made.order = Order::kPlain;
        made.scope = Scope::kSystem;
        made.space = gpu::Space::kShared;
        made.size = 8;
        made.address = addresses_;
        made.round = round;
        sink_.step(made);
      });
  each_lane(by.event.lanes, [&](unsigned lane) {
    const auto count = static_cast<std::uint32_t>(by.event.value[lane]);
    const auto bytes = static_cast<std::int32_t>(by.event.value[lane] >> 32);
    if (count != 0 || bytes != 0) mbarriers_[addresses_[lane]].arrive(count, -bytes, false);
  });
}

}  // namespace redflag::device
