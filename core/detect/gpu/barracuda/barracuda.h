// barracuda: the detector of Peng's dissertation, chapter 5 (Eizenberg, Peng, Pigli, Mansky, Devietti,
// PLDI'17), over our steps.
//
// The idea. FastTrack for GPUs: happens-before by vector clocks, with the clocks of a warp kept
// together and compressed (warp_clocks.h, section 5.5.3), because threads of a warp run in lockstep
// and mostly know the same. Lanes of one instruction are concurrent with each other, and ordered with
// all that the warp's path did before; the two sides of a branch are concurrent, whichever runs
// first. Blocks meet at barriers. Everything else is acquire and release, inferred from fences
// beside atomics, loads and stores, at two scopes.
//
// Its parts: operation.h (trace operations and how steps are read as such), rules.h (figures 5.4 and
// 5.5), shadow_entry.h (figure 5.10), history.h, shadow_memory.h, accesses.h (R_x and W_x),
// sync_location.h (S_x); barracuda_sync.cpp has what orders threads, barracuda.cpp what accesses.
//
// Limits: one launch at a time, and not the host; lockstep within a warp; of two fences one of
// global scope is enough; atomics have no scope and no size; a store right behind a fence is a
// signal, not data. docs/how/gpu-detectors.md has the list with a test for each; differential_test.cpp
// holds the rest to ptx_model. Names the line of an earlier write, not of an earlier read. O(1) for
// each lane and word, but for histories and clocks of point-to-point order; one thread at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <memory_resource>
#include <vector>

#include "core/detect/gpu/barracuda/accesses.h"
#include "core/detect/gpu/barracuda/operation.h"
#include "core/detect/gpu/barracuda/sync_location.h"
#include "core/detect/gpu/gpu_detector.h"
#include "core/detect/gpu/ordering.h"
#include "core/detect/gpu/race_list.h"
#include "core/detect/gpu/warp_clocks.h"
#include "core/detect/gpu/warp_state.h"

namespace redflag::gpu::barracuda {

struct Options {
  bool stores_release = true;  // a store right behind a fence releases, a load before one acquires
  bool filter_same_value = true;  // lanes of one instruction that write the same value do not race
  std::size_t most_races = 1000;
  std::function<void(const GpuRace&)> on_race{};  // at the first of its kind; may be empty
  // For tests: every racing access, before folding; every trace operation. May be empty.
  std::function<void(std::uint64_t address, unsigned bytes)> on_access{};
  std::function<void(Op op, const Step& step, Lanes lanes)> on_operation{};
  std::pmr::memory_resource* memory = nullptr;  // nullptr: the standard one
};

class Barracuda final : public GpuDetector {
 public:
  explicit Barracuda(Options options = {});

  void launch_begins(const Launch& launch) override;
  void step(const Step& step) override;
  void launch_ends(LaunchId launch) override;
  void host(const HostStep& step) override;

  std::vector<GpuRace> races() const override { return races_.all(); }
  std::uint64_t dropped() const override { return races_.dropped(); }
  std::size_t metadata_bytes() const override;
  std::vector<Counter> stats() const override;
  std::uint64_t count(Rule rule) const;
  std::uint64_t count(Op op) const { return operations_[static_cast<std::size_t>(op)]; }
  WarpClocks::Formats formats() const { return order_.clocks.formats(); }  // figure 5.9

 private:
  struct Block : BlockState {
    std::vector<FencedLanes> fenced;  // by warp
  };
  struct Accessor;

  Block& block(std::uint64_t number);
  void tell(Op op, const Step& step, Lanes lanes) {
    ++operations_[static_cast<std::size_t>(op)];
    if (options_.on_operation) options_.on_operation(op, step, lanes);
  }

  // barracuda_sync.cpp
  void end_instruction(const WarpAt& at, WarpState& warp, const Step& step);
  void sync_warp(const WarpAt& at, WarpState& warp, Lanes lanes);
  void fence(const WarpAt& at, Block& state, const Step& step);
  void exits(const WarpAt& at, Block& state, Lanes lanes);
  void barrier_arrive(const WarpAt& at, Block& state, const Step& step);
  void barrier_pass(const WarpAt& at, Block& state, const Step& step);
  void goes_on(const WarpAt& at, Block& state, Lanes lanes);
  void complete(const WarpAt& at, Block& state, BarrierRound& round, const Step& step);
  void check_whole_warps(std::uint32_t block, const Block& state, const BarrierRound& round);
  void diverges(const GpuSide& arrived, const GpuSide& elsewhere, std::uint32_t object);
  void cluster_barrier(const WarpAt& at, WarpState& warp, const Step& step);
  void barrier_object(const WarpAt& at, WarpState& warp, const Step& step);
  void waits_for_copies(const WarpAt& at, WarpState& warp, const Step& step);
  void copies_arrive(const WarpAt& at, WarpState& warp, const Step& step);
  void forget_before(const WarpAt& at, const Meeting& meeting);
  Lanes signals(const WarpAt& at, Block& state, const Step& step);
  void synchronises(const WarpAt& at, const WarpState& warp, const Step& step, Lanes lanes,
                    Lanes wrote);

  // barracuda.cpp
  void plain(const WarpAt& at, Block& state, const Step& step);
  void atomic(const WarpAt& at, WarpState& warp, const Step& step);
  void copy(const WarpAt& at, WarpState& warp, const Step& step);
  void access(const WarpAt& at, const WarpState& warp, const Step& step, Touch now,
              const std::uint64_t* addresses, Lanes lanes, bool observes);
  void same_instruction(const Step& step, std::uint64_t address, Lanes lanes);
  void found(const Accessor& by, const Touch& earlier, Lanes racing, std::uint64_t address,
             unsigned bytes);

  Options options_;
  RaceList races_;
  ShadowMemory shadow_;
  Ordering<WarpClocks, SyncLocation> order_;
  RuleCounts<Rule, kRuleCount> counts_;
  std::array<std::uint64_t, kOpCount> operations_{};
  std::uint64_t steps_ = 0;

  Launch launch_;
  Grid grid_;
  bool running_ = false;
  std::vector<std::unique_ptr<Block>> blocks_;
  AddressFilter released_;   // addresses that may be synchronisation locations
  bool any_signal_ = false;  // some of them by plain stores
};

}  // namespace redflag::gpu::barracuda
