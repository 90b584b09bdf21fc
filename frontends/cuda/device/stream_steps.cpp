#include "frontends/cuda/device/stream_steps.h"

#include <algorithm>
#include <bit>

namespace redflag::device {
namespace {

gpu::StepKind kind_of(Deed deed) {
  switch (deed) {
    case Deed::kWrite:
      return gpu::StepKind::kWrite;
    case Deed::kAtomicLoad:
      return gpu::StepKind::kAtomicLoad;
    case Deed::kAtomicStore:
      return gpu::StepKind::kAtomicStore;
    case Deed::kAtomicRmw:
      return gpu::StepKind::kAtomicRmw;
    case Deed::kRead:
    case Deed::kOther:
      break;
  }
  return gpu::StepKind::kRead;
}

}  // namespace

StreamSteps::StreamSteps(const gpu::Launch& launch, gpu::Sink& sink, StreamHeap& heap)
    : launch_(launch),
      sink_(sink),
      heap_(heap),
      threads_left_(launch.grid.count() * launch.block_threads()) {}

StreamBlock& StreamSteps::block_of(std::uint64_t index) {
  std::unique_ptr<StreamBlock>& made = blocks_[index];
  if (made != nullptr) return *made;
  made = std::make_unique<StreamBlock>();
  made->index = index;
  made->live = launch_.block_threads();
  made->warps.resize(launch_.block_warps());
  for (std::uint32_t w = 0; w < made->warps.size(); ++w) {
    const std::uint32_t rest = made->live - w * gpu::kWarp;
    made->warps[w].live = rest >= gpu::kWarp ? ~Lanes{0} : (Lanes{1} << rest) - 1;
  }
  return *made;
}

std::uint64_t StreamSteps::block_of_rank(std::uint64_t block, std::uint32_t rank) const {
  const gpu::Dim& size = launch_.cluster;
  const gpu::Dim at = gpu::place(block, launch_.grid);
  const gpu::Dim within = gpu::place(rank, size);
  const std::uint64_t x = at.x / size.x * size.x + within.x;
  const std::uint64_t y = at.y / size.y * size.y + within.y;
  const std::uint64_t z = at.z / size.z * size.z + within.z;
  return x + launch_.grid.x * (y + launch_.grid.y * z);
}

StreamCluster& StreamSteps::cluster_of(const StreamBlock& block) {
  const auto [at, is_new] = clusters_.try_emplace(block_of_rank(block.index, 0));
  const std::uint64_t blocks = launch_.cluster.count();
  if (is_new) at->second.live = blocks > 1 ? blocks * launch_.block_threads() : block.live;
  return at->second;
}

std::uint64_t StreamSteps::told_address(std::uint64_t block, std::uint64_t address) const {
  if ((address & kSharedMark) == 0) return address;
  const auto rank = static_cast<std::uint32_t>((address & ~kSharedMark) >> kRankBit);
  const std::uint64_t owner = rank == 0 ? block : block_of_rank(block, rank - 1);
  return gpu::shared_address(owner, address & kOffsetMask);
}

gpu::Step StreamSteps::step(const By& by, gpu::StepKind kind, Lanes lanes) const {
  gpu::Step made;
  made.kind = kind;
  made.lanes = made.converged = lanes;
  made.warp = by.event.warp;
  made.block = by.event.block;
  made.site = gpu::SiteId{by.event.site};
  made.order = by.event.what.order;
  made.scope = by.event.what.scope;
  return made;
}

void StreamSteps::event(const StreamEvent& event) {
  if (event.block >= launch_.grid.count() || event.warp >= launch_.block_warps()) return;
  StreamBlock& block = block_of(event.block);
  const By by{block, block.warps[event.warp], event};
  // What else they do after arriving in part of a warp, they do without having waited for the rest.
  if ((by.warp.held.lanes & event.lanes) != 0 && event.hook != Hook::kBarrierArrive) {
    tell_held(block, event.warp);
  }
  follow_paths(by);
  each_lane(event.lanes, [&](unsigned lane) {
    addresses_[lane] = told_address(event.block, event.address[lane]);
    sources_[lane] = told_address(event.block, event.source[lane]);
  });
  using gpu::StepKind;
  switch (event.hook) {
    case Hook::kEnter:
    case Hook::kMet:  // here all is told of
    case Hook::kTexture:
    case Hook::kSurface:  // texels are told as loads and stores
      return;
    case Hook::kExit:
      return exits(by);
    case Hook::kLoad:
    case Hook::kStore:
      return access(by);
    case Hook::kAtomicBegin:
      return atomic_begins(by);
    case Hook::kAtomicEnd:
      return atomic_ends(by);
    case Hook::kFence:
      return sink_.step(step(by, StepKind::kFence, event.lanes));
    case Hook::kWarpSync:
      return warp_sync(by);
    case Hook::kBarrierArrive:
      return barrier_arrive(by);
    case Hook::kBarrierPass:
      return barrier_pass(by);
    case Hook::kClusterArrive:
      return cluster_arrive(by);
    case Hook::kClusterPass:
      return cluster_pass(by);
    case Hook::kMalloc:
      return allocates(by);
    case Hook::kFree:
      return frees(by);
    case Hook::kMbarrierInit:
      return mbarrier(by, StepKind::kMbarrierInit);
    case Hook::kMbarrierInval:
      return mbarrier(by, StepKind::kMbarrierInval);
    case Hook::kMbarrierArrive:
      return mbarrier_arrive(by);
    case Hook::kMbarrierWait:
      return mbarrier(by, StepKind::kMbarrierWait);
    case Hook::kAsyncCopy:
      return async_copy(by);
    case Hook::kAsyncCommit:
      return sink_.step(step(by, StepKind::kAsyncCommit, event.lanes));
    case Hook::kAsyncWait: {
      gpu::Step waits = step(by, StepKind::kAsyncWait, event.lanes);
      waits.object = event.argument;
      return sink_.step(waits);
    }
    case Hook::kAsyncArrive:
      return async_arrive(by);
  }
}

void StreamSteps::follow_paths(const By& by) {
  std::vector<Lanes>& paths = by.warp.paths;
  const Lanes lanes = by.event.lanes;
  if (paths.empty() && lanes == by.warp.live) return;
  Lanes others = by.warp.live;
  for (const Lanes path : paths) others &= ~path;
  if (others != 0) paths.push_back(others);
  // Those who were on the way of some of the lanes, and did not come along.
  Lanes met = 0;
  unsigned ways = 0;
  for (std::size_t i = paths.size(); i-- > 0;) {
    const Lanes some = paths[i] & lanes, rest = paths[i] & ~lanes;
    if (some == 0) continue;
    met |= some;
    ++ways;
    if (rest != 0) {
      gpu::Step parts = step(by, gpu::StepKind::kBranch, some);
      parts.other = rest;
      sink_.step(parts);
    }
    paths[i] = rest;
  }
  if (ways > 1) sink_.step(step(by, gpu::StepKind::kReconverge, met));
  paths.push_back(met);
  std::erase_if(paths, [&](Lanes path) { return (path & by.warp.live) == 0; });
  if (paths.size() == 1 && paths[0] == by.warp.live) paths.clear();
}

void StreamSteps::finish() {
  for (const auto& [index, block] : blocks_) {
    for (std::uint32_t w = 0; w < block->warps.size(); ++w) tell_held(*block, w);
  }
}

// A step for the global lanes and one for the shared ones.
void StreamSteps::tell_memory(gpu::Step step, const std::uint64_t* addresses) {
  const Lanes all = step.lanes, wrote = step.wrote;
  Lanes shared = 0;
  each_lane(all, [&](unsigned lane) {
    if (gpu::is_shared(addresses[lane])) shared |= Lanes{1} << lane;
  });
  step.address = addresses;
  for (const bool in_shared : {false, true}) {
    step.lanes = step.converged = in_shared ? shared : all & ~shared;
    step.wrote = wrote & step.lanes;
    step.space = in_shared ? gpu::Space::kShared : gpu::Space::kGlobal;
    if (step.lanes != 0) sink_.step(step);
  }
}

void StreamSteps::access(const By& by) {
  gpu::Step made = step(by, kind_of(by.event.what.deed), by.event.lanes);
  made.is_volatile = by.event.what.is_volatile;
  made.size = by.event.what.bytes;
  made.value = by.event.has_values ? by.event.value : nullptr;
  tell_memory(made, addresses_);
}

void StreamSteps::atomic_begins(const By& by) {
  BegunAtomic begun{by.event.lanes, by.event.site, {}};
  std::copy_n(by.event.value, gpu::kWarp, begun.value.begin());
  by.warp.begun.push_back(begun);
}

void StreamSteps::atomic_ends(const By& by) {
  const StreamEvent& event = by.event;
  gpu::Step made = step(by, kind_of(event.what.deed), event.lanes);
  made.is_volatile = event.what.is_volatile;
  made.size = event.what.bytes;
  if (made.kind == gpu::StepKind::kAtomicRmw) {
    made.wrote = event.argument & event.lanes;
    made.op = static_cast<gpu::RmwOp>(event.what.rmw);
  }
  std::array<std::uint64_t, gpu::kWarp> values{};
  Lanes known = 0;
  for (BegunAtomic& begun : by.warp.begun) {
    if (begun.site != event.site) continue;
    each_lane(begun.lanes & event.lanes, [&](unsigned lane) { values[lane] = begun.value[lane]; });
    known |= begun.lanes & event.lanes;
    begun.lanes &= ~event.lanes;
  }
  std::erase_if(by.warp.begun, [](const BegunAtomic& begun) { return begun.lanes == 0; });
  if (known == event.lanes) made.value = values.data();
  tell_memory(made, addresses_);
}

void StreamSteps::warp_sync(const By& by) {
  const StreamEvent& event = by.event;
  const Lanes members = event.argument | event.lanes;
  Lanes news = event.lanes;
  for (MetLanes& met : by.warp.met) {
    if (met.members != members) continue;
    const Lanes told = met.lanes & news;
    met.lanes &= ~told;
    news &= ~told;
  }
  std::erase_if(by.warp.met, [](const MetLanes& met) { return met.lanes == 0; });
  if (news == 0) return;
  gpu::Step made = step(by, gpu::StepKind::kWarpSync, members & by.warp.live);
  made.order = Order::kAcqRel;
  made.scope = Scope::kWarp;
  made.converged = news;
  if (const Lanes others = made.lanes & ~news; others != 0) {
    by.warp.met.push_back({others, members});
  }
  sink_.step(made);
}

void StreamSteps::tell_heap(gpu::HostKind kind, std::uint32_t site, std::uint64_t address,
                            std::uint64_t bytes) {
  sink_.host({.kind = kind,
              .host_thread = launch_.host_thread,
              .stream = launch_.stream,
              .site = gpu::SiteId{site},
              .address = address,
              .size = bytes});
}

void StreamSteps::allocates(const By& by) {
  each_lane(by.event.lanes, [&](unsigned lane) {
    const std::uint64_t address = by.event.address[lane], bytes = by.event.value[lane];
    heap_[address] = bytes;
    tell_heap(gpu::HostKind::kAlloc, by.event.site, address, bytes);
  });
}

// Who frees writes, lane by lane, the beginning of it: as the emulator tells it.
void StreamSteps::frees(const By& by) {
  constexpr std::uint64_t kPiece = 128, kMost = 4096;
  each_lane(by.event.lanes, [&](unsigned lane) {
    const auto at = heap_.find(by.event.address[lane]);
    if (at == heap_.end()) return;
    const auto [begin, bytes] = *at;
    heap_.erase(at);
    gpu::Step writes = step(by, gpu::StepKind::kWrite, Lanes{1} << lane);
    const std::uint64_t end = std::min(bytes, kMost);
    for (std::uint64_t offset = 0; offset < end; offset += kPiece) {
      std::uint64_t addresses[gpu::kWarp] = {};
      addresses[lane] = begin + offset;
      writes.size = static_cast<std::uint8_t>(std::min(kPiece, end - offset));
      tell_memory(writes, addresses);
    }
    tell_heap(gpu::HostKind::kFree, by.event.site, begin, bytes);
  });
}

void StreamSteps::exits(const By& by) {
  const Lanes lanes = by.event.lanes & by.warp.live;
  if (lanes == 0) return;
  sink_.step(step(by, gpu::StepKind::kExit, lanes));
  const auto threads = static_cast<std::uint32_t>(std::popcount(lanes));
  by.warp.live &= ~lanes;
  for (Lanes& path : by.warp.paths) path &= ~lanes;
  std::erase(by.warp.paths, Lanes{0});
  by.block.live -= threads;
  threads_left_ -= threads;
  if (by.warp.held.lanes != 0 && by.warp.held.lanes == by.warp.live) {
    tell_held(by.block, by.event.warp);
  }
  for (std::uint32_t number = 0; number < kBarriersOfBlock; ++number) {
    complete_barrier(by.block, number);
  }
  if (launch_.cluster.count() > 1 || clusters_.contains(by.block.index)) {
    StreamCluster& cluster = cluster_of(by.block);
    cluster.live -= threads;
    complete_cluster(cluster);
    if (cluster.live == 0) clusters_.erase(block_of_rank(by.block.index, 0));
  }
  if (by.block.live != 0) return;
  std::erase_if(mbarriers_,
                [&](const auto& each) { return gpu::shared_block(each.first) == by.event.block; });
  blocks_.erase(by.event.block);
}

}  // namespace redflag::device
