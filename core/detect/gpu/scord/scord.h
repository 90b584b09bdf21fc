// scord: the hardware detector ScoRD (Kamath, George, Basu; ISCA'20) over our steps.
//
// The idea. Eight bytes for every four of global memory say which warp accessed them last, which
// fences and barriers it had executed then, and whether all accesses were strong (entry.h). An
// access compares itself with that one: a fence of the other warp since then, of a scope that
// reaches, counts as order (rules.h). Locks are guessed from atomics and fences, and compared as
// sets (locks.h). So it knows scopes at the cost of one entry; it does not ask whether a signal
// passed.
//
// The metadata cache: one entry for sixteen units of memory, told apart by a tag of four bits, and
// overwritten by whoever comes: 8 bytes for 64, 12.5%.
//
// What newer PTX has is told in the paper's words: a release is a fence before, an acquire makes
// locks active; arriving at a cluster barrier, a barrier object or a barrier for a part of a block
// is a fence; cluster scope is device scope.
//
// Limits: global memory; one launch at a time; races within a warp are not seen.
// docs/how/gpu-detectors.md has the list, and differential_test.cpp holds every disagreement with
// ptx_model to it. Names one side's line, as the hardware does. O(1) for each lane and unit of
// memory; one thread at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory_resource>
#include <vector>

#include "core/detect/gpu/entry_detector.h"
#include "core/detect/gpu/scord/rules.h"

namespace redflag::gpu::scord {

inline constexpr std::uint64_t kCachedUnits = 16;  // units of memory that share one entry

struct Options {
  unsigned granularity = 4;    // bytes of a unit of memory: 4, 8, 16; 1 in tests
  bool metadata_cache = true;  // false: an entry for every unit
  std::uint64_t device_bytes = std::uint64_t{1} << 32;  // memory that the metadata is made for
  std::size_t most_races = 1000;
  std::function<void(const GpuRace&)> on_race{};  // at the first of its kind; may be empty
  // For tests: every decision, with the unit's first address. May be empty.
  std::function<void(std::uint64_t address, Rule rule)> on_decision{};
  std::pmr::memory_resource* memory = nullptr;  // nullptr: the standard one
};

class Scord final : public EntryDetector<Scord, Entry, Rule, kRuleCount> {
 public:
  explicit Scord(const Options& options = {});

  void launch_begins(const Launch& launch) override;
  std::size_t metadata_bytes() const override { return sizeof(*this) + entries_.bytes(); }
  std::vector<Counter> stats() const override { return stats_of(kRules); }
  std::uint64_t evictions() const { return evictions_; }

 private:
  friend EntryDetector;
  static constexpr std::size_t kBlocks = std::size_t{1} << kBlockBits;
  static constexpr std::size_t kWarps = kBlocks << kWarpBits;
  static constexpr std::size_t kBarriers = 16;  // of a block

  static std::size_t slot(const Step& step) {
    return (wrapped<kBlockBits>(step.block) << kWarpBits) | wrapped<kWarpBits>(step.warp);
  }

  static bool takes(const Step& /*step*/) { return true; }  // numbers wrap
  void fence(const Step& step, Scope scope);
  void acquired(const Step& step, Scope scope) { locks_[slot(step)].fence(is_block_scope(scope)); }
  void warp_sync(const Step& /*step*/) {}  // a warp is one thread
  CountedBarrier& round_of(const Step& step) {
    return rounds_[wrapped<kBlockBits>(step.block)][step.object % kBarriers];
  }
  void barrier_passed(const Step& step) { ++barriers_[wrapped<kBlockBits>(step.block)]; }
  void memory(const Step& step, bool store, bool is_atomic, Lanes lanes);
  void unit(const Step& step, unsigned lane, std::uint64_t address, const Access& access);
  void infer_locks(const Step& step);
  void forget(std::uint64_t address);
  void own_stats(std::vector<Counter>& out) const;
  void declare(const Step& step, unsigned lane, std::uint64_t address, const Entry& md,
               const Access& access, Rule rule);

  std::uint64_t evictions_ = 0;
  // The hardware's state: fence file, lock tables, barrier counters.
  std::array<Fences, kWarps> fences_{};
  std::array<LockTable, kWarps> locks_{};
  std::array<std::uint8_t, kBlocks> barriers_{};
  std::array<std::array<CountedBarrier, kBarriers>, kBlocks> rounds_{};
};

}  // namespace redflag::gpu::scord
