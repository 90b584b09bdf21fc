// iguard: the in-GPU detector iGUARD (Kamath, Basu; SOSP'21) over our steps.
//
// The idea. ScoRD's logic in software, for threads instead of warps. Sixteen bytes for every four
// of global memory name the last writer and the last accessor with the fences and barriers they had
// behind them then (entry.h); an access is compared with the one of them that matters (rules.h).
// Lanes of a warp are apart unless they execute an instruction together or have met at a warp
// barrier: so a missing __syncwarp() shows. Locks are guessed from atomics and fences, for the warp
// until several of its lanes take locks together, then for each thread (locks.h).
//
// Coalescing: when all active lanes load, or change by an atomic, the same place, one of them is
// checked for all. History: besides the last accessor 1, 3 or 7 older ones may be kept (history.h);
// the paper tried that and found nothing more.
//
// What newer PTX has is told in the paper's words: a release is a fence before (as in machine
// code), an acquire makes locks active; arriving at a cluster barrier, a barrier object or a
// barrier for a part of a block is a fence; cluster scope is device scope.
//
// Limits: global memory; one launch at a time; what a fence publishes is the fencing thread's own
// (figure 10). docs/how/gpu-detectors.md has the list, and differential_test.cpp holds every
// disagreement with ptx_model to it. Names one side's line. O(1) for each lane and unit of memory;
// one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory_resource>
#include <unordered_map>
#include <vector>

#include "core/detect/gpu/entry_detector.h"
#include "core/detect/gpu/iguard/history.h"
#include "core/detect/gpu/iguard/locks.h"

namespace redflag::gpu::iguard {

struct Options {
  unsigned granularity = 4;  // bytes of a unit of memory: 4, 8, 16; 1 in tests
  unsigned history = 1;      // accessors that are kept: 1, 2, 4, 8
  bool coalesce = true;
  std::uint64_t device_bytes = std::uint64_t{1} << 34;  // memory that the metadata is made for
  std::size_t most_races = 1000;
  std::function<void(const GpuRace&)> on_race{};  // at the first of its kind; may be empty
  // For tests: every decision, with the unit's first address. May be empty.
  std::function<void(std::uint64_t address, Rule rule)> on_decision{};
  std::pmr::memory_resource* memory = nullptr;  // nullptr: the standard one
};

class Iguard final : public EntryDetector<Iguard, Entry, Rule, kRuleCount> {
 public:
  explicit Iguard(const Options& options = {});

  void launch_begins(const Launch& launch) override;
  std::size_t metadata_bytes() const override;
  std::vector<Counter> stats() const override { return stats_of(kRules); }
  std::uint64_t coalesced() const { return coalesced_; }

 private:
  friend EntryDetector;
  struct Fences {  // of a thread
    std::uint8_t device = 0;
    std::uint8_t block = 0;
  };

  // Numbers of a warp and a thread in the tables: as wide as in the entries.
  std::uint32_t warp_of(const Step& step) const {
    return wrapped<kWarpBits>(step.block * block_warps_ + step.warp);
  }
  static std::size_t thread_of(std::uint32_t warp, std::uint32_t lane) {
    return std::size_t{warp} << kLaneBits | lane;
  }
  Counters fences_of(const Last& last) const {
    const std::size_t thread = thread_of(last.warp, last.lane);
    if (thread >= fences_.size()) return {};
    return {wrapped<kFenceBits>(fences_[thread].device), wrapped<kFenceBits>(fences_[thread].block),
            0, 0};
  }
  LockTable& table_of(std::uint32_t warp, std::uint32_t lane) {
    LockTable& table = warp_locks_[warp];
    return table.is_thread() ? thread_locks_[thread_of(warp, lane)] : table;
  }

  bool takes(const Step& step) const {
    return step.block < block_barriers_.size() && step.warp < block_warps_;
  }
  void fence(const Step& step, Scope scope);
  void acquired(const Step& step, Scope scope);
  void warp_sync(const Step& step) { ++warp_barriers_[warp_of(step)]; }
  CountedBarrier& round_of(const Step& step) {
    return rounds_[step.block << 4 | (step.object & 15)];
  }
  void barrier_passed(const Step& step) { ++block_barriers_[step.block]; }
  void memory(const Step& step, bool store, bool is_atomic, Lanes lanes);
  void unit(const Step& step, std::uint64_t address, const Access& access);
  Rule older(const Step& step, std::uint64_t address, std::uint64_t index, const Entry& mm,
             const Access& access, Rule rule);
  void infer_locks(const Step& step);
  void forget(std::uint64_t address);
  void own_stats(std::vector<Counter>& out) const;
  void declare(const Step& step, std::uint64_t address, const Entry& mm, const Access& access,
               const Counters& sm, Rule rule);

  unsigned accessors_;
  bool coalesce_;
  MetadataTable<History> histories_;  // used where more than the last accessor is kept
  std::uint64_t coalesced_ = 0;
  std::uint32_t block_warps_ = 1;
  // The synchronisation metadata.
  std::pmr::vector<Fences> fences_;                                // by thread
  std::pmr::vector<std::uint8_t> warp_barriers_;                   // by warp
  std::pmr::vector<std::uint8_t> block_barriers_;                  // by block
  std::pmr::unordered_map<std::uint64_t, CountedBarrier> rounds_;  // by block and number
  std::pmr::vector<LockTable> warp_locks_;
  std::pmr::vector<LockTable> thread_locks_;  // empty until a warp needs them
};

}  // namespace redflag::gpu::iguard
