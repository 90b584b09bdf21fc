// StreamSteps: events of one launch made into the steps that the emulator would have told.
//
// Hooks say what a warp's lanes did; what follows from it and only the hardware knows is counted
// here: rounds of barriers, phases of barrier objects, who is alive, who met whom. Two things are told
// otherwise than they came. Lanes that reach a barrier for whole warps apart are told to arrive together
// if the rest of the warp comes before anybody passes. And lanes that meet at a warp's sync are told
// to have met when the first of them goes on: they all have arrived by then, and what the others say
// later of the same meeting is dropped.
//
// No hook stands at branches: that lanes have parted, or met again, is told when something is done by
// only some of those who were together, or by some who were apart. So a guard looks like a branch.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "core/model/gpu.h"
#include "frontends/cuda/device/stream_blocks.h"
#include "frontends/cuda/device/stream_event.h"

namespace redflag::device {

// Memory of the device's own heap, which outlives launches: bytes by address.
using StreamHeap = std::unordered_map<std::uint64_t, std::uint64_t>;

template <typename Visitor>
void each_lane(Lanes lanes, Visitor visitor) {
  for (; lanes != 0; lanes &= lanes - 1) visitor(static_cast<unsigned>(std::countr_zero(lanes)));
}

class StreamSteps {
 public:
  StreamSteps(const gpu::Launch& launch, gpu::Sink& sink, StreamHeap& heap);

  void event(const StreamEvent& event);
  void finish();  // the launch has ended: what was held is told
  bool all_threads_ended() const { return threads_left_ == 0; }

 private:
  struct By {  // whose event it is
    StreamBlock& block;
    StreamWarp& warp;
    const StreamEvent& event;
  };
  StreamBlock& block_of(std::uint64_t index);
  StreamCluster& cluster_of(const StreamBlock& block);
  std::uint64_t block_of_rank(std::uint64_t block, std::uint32_t rank) const;
  std::uint64_t told_address(std::uint64_t block, std::uint64_t address) const;

  void follow_paths(const By& by);
  gpu::Step step(const By& by, gpu::StepKind kind, Lanes lanes) const;
  void tell_memory(gpu::Step step, const std::uint64_t* addresses);
  void access(const By& by);
  void atomic_begins(const By& by);
  void atomic_ends(const By& by);
  void warp_sync(const By& by);
  void exits(const By& by);
  void allocates(const By& by);
  void frees(const By& by);
  void tell_heap(gpu::HostKind kind, std::uint32_t site, std::uint64_t address,
                 std::uint64_t bytes);

  // stream_barriers.cpp
  void barrier_arrive(const By& by);
  void barrier_pass(const By& by);
  void arrive(StreamBlock& block, std::uint32_t warp, const HeldArrival& what, bool aligned);
  void tell_held(StreamBlock& block, std::uint32_t warp);
  void complete_barrier(StreamBlock& block, std::uint32_t number);
  void cluster_arrive(const By& by);
  void cluster_pass(const By& by);
  void complete_cluster(StreamCluster& cluster);
  void mbarrier_arrive(const By& by);
  void mbarrier(const By& by, gpu::StepKind kind);
  void async_copy(const By& by);
  void async_arrive(const By& by);

  gpu::Launch launch_;
  gpu::Sink& sink_;
  StreamHeap& heap_;
  std::uint64_t threads_left_;
  std::unordered_map<std::uint64_t, std::unique_ptr<StreamBlock>> blocks_;
  std::unordered_map<std::uint64_t, StreamCluster> clusters_;    // by the block of rank 0
  std::unordered_map<std::uint64_t, StreamMbarrier> mbarriers_;  // by address, as told
  std::uint64_t addresses_[gpu::kWarp] = {};                     // as told, of the event
  std::uint64_t sources_[gpu::kWarp] = {};
};

}  // namespace redflag::device
