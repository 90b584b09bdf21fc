// curd: CURD (Peng's dissertation, chapter 6; Peng, Grover, Devietti, PLDI'18) over our steps.
//
// The idea. Kernels that synchronise by barriers of whole blocks alone need no clocks: what threads
// of a block access between two barriers is not ordered, what they access before and behind one is,
// and blocks are never ordered. So each thread collects what it reads and writes as sets of regions
// (stripe.h, by warp); at a barrier the sets of the block are compressed (compress.h) and compared
// (intra_block.h), and go into the sets of the block; those are compared at the end of the kernel,
// or at each barrier (inter_block.h). A kernel with more than that goes to another detector, as its
// launch begins (choice.h).
//
// Shared and global memory, byte by byte. A race is told with the last sources of the two regions;
// a thread of another block is not known, only its block.
//
// Limits: one launch at a time, and not the host. Lanes of a warp are ordered by syncs alone, also
// where they execute together; lanes that write the same value race. docs/how/gpu-detectors.md has the
// list. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <memory_resource>
#include <unordered_map>
#include <vector>

#include "core/detect/gpu/curd/block_state.h"
#include "core/detect/gpu/curd/choice.h"
#include "core/detect/gpu/curd/inter_block.h"
#include "core/detect/gpu/curd/intra_block.h"
#include "core/detect/gpu/gpu_detector.h"
#include "core/detect/gpu/race_list.h"

namespace redflag::gpu::curd {

using OnRace = std::function<void(const GpuRace&)>;

struct Options {
  bool eager = false;          // blocks are compared at each barrier
  std::uint32_t searched = 4;  // regions that an insertion looks at
  std::size_t most_races = 1000;
  OnRace on_race{};  // at the first of its kind; may be empty
  // For tests: all bytes that race, not one place for each two regions. May be empty.
  std::function<void(std::uint64_t address, std::uint32_t bytes)> on_overlap{};
  // Who checks the kernels that CURD does not take; empty: barracuda.
  std::function<std::unique_ptr<GpuDetector>(OnRace)> make_other{};
  std::pmr::memory_resource* memory = nullptr;  // nullptr: the standard one
};

class Curd final : public GpuDetector, private IntraBlockSink, private InterBlockSink {
 public:
  explicit Curd(Options options = {});
  ~Curd() override;
  Curd(const Curd&) = delete;
  Curd& operator=(const Curd&) = delete;

  void launch_begins(const Launch& launch) override;
  void step(const Step& step) override;
  void launch_ends(LaunchId launch) override;
  void host(const HostStep& step) override;

  std::vector<GpuRace> races() const override;
  std::uint64_t dropped() const override;
  std::size_t metadata_bytes() const override;
  std::vector<Counter> stats() const override;
  std::uint64_t count(Rule rule) const { return counts_.of(rule); }
  std::size_t pooled() const { return pool_.size(); }  // states that wait for another block

 private:
  enum class State : std::uint8_t { kIdle, kHere, kOther };

  BlockState* block_of(const Step& step);
  BlockState& begin_block(std::uint64_t block);
  void access(BlockState& block, const Step& step, Side side, Lanes lanes);
  void barrier(BlockState& block, const Step& step);
  void exits(BlockState& block, const Step& step);
  void end_region(BlockState& block, bool block_ends);
  void end_block(BlockState& block);
  void race(Rule rule, const Accessor& a, const Accessor& b, const Region& common) override;
  void race(Rule rule, const Party& a, const Party& b, const Region& common) override;
  void declare(GpuRace& race, Source first, Source second, const Region& common);
  GpuDetector& other();

  Options options_;
  std::pmr::memory_resource* memory_;
  Counts counts_;
  RaceList races_;
  IntraBlock intra_;
  LazyChecks lazy_;
  EagerChecks eager_;
  std::unique_ptr<GpuDetector> other_;
  Launch launch_;
  State state_ = State::kIdle;
  bool eager_now_ = false;
  std::unordered_map<std::uint64_t, std::unique_ptr<BlockState>> blocks_;  // that run
  std::vector<std::unique_ptr<BlockState>> pool_;
  std::vector<std::uint64_t> numbers_;   // of blocks, by ordinal
  BlockState* recent_ = nullptr;         // the block of the step before
  const BlockState* checked_ = nullptr;  // whose regions are being compared
  std::uint64_t steps_ = 0;
};

}  // namespace redflag::gpu::curd
