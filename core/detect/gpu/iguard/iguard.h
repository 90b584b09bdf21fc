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
// (figure 10). docs/gpu-detectors.md has the list, and differential_test.cpp holds every
// disagreement with ptx_model to it. Names one side's line. O(1) for each lane and unit of memory;
// one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory_resource>
#include <unordered_map>
#include <vector>

#include "core/detect/gpu/gpu_detector.h"
#include "core/detect/gpu/iguard/history.h"
#include "core/detect/gpu/iguard/locks.h"
#include "core/detect/gpu/metadata_table.h"
#include "core/detect/gpu/race_list.h"

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

class Iguard final : public GpuDetector {
 public:
  explicit Iguard(Options options = {});

  void launch_begins(const Launch& launch) override;
  void step(const Step& step) override;
  void launch_ends(LaunchId /*launch*/) override { running_ = false; }
  void host(const HostStep& step) override;

  std::vector<GpuRace> races() const override { return races_.all(); }
  std::uint64_t dropped() const override { return races_.dropped(); }
  std::size_t metadata_bytes() const override;
  std::vector<Counter> stats() const override;
  std::uint64_t count(Rule rule) const { return counts_.of(rule); }
  std::uint64_t coalesced() const { return coalesced_; }

 private:
  struct Fences {  // of a thread
    std::uint8_t device = 0;
    std::uint8_t block = 0;
  };
  struct Barrier {
    std::uint32_t passed = 0;  // rounds that were counted
    bool whole = true;         // of all threads of the block
  };
  struct Place {
    std::uint64_t index;
    std::uint32_t tag;
  };

  // Numbers of a warp and a thread in the tables: as wide as in the entries.
  std::uint32_t warp_of(const Step& step) const {
    return wrapped<kWarpBits>(step.block * block_warps_ + step.warp);
  }
  static std::size_t thread_of(std::uint32_t warp, std::uint32_t lane) {
    return std::size_t{warp} << kLaneBits | lane;
  }
  Counters fences_of(const Last& last) const;
  LockTable& table_of(std::uint32_t warp, std::uint32_t lane);
  Place place_of(std::uint64_t address);

  void fence(const Step& step, Scope scope);
  void barrier(const Step& step);
  void memory(const Step& step, AccessKind kind, bool is_atomic, Lanes lanes);
  void unit(const Step& step, std::uint64_t address, const Access& access);
  void infer_locks(const Step& step);
  void activate(const Step& step, Scope scope);
  void declare(const Step& step, std::uint64_t address, const Entry& mm, const Access& access,
               const Counters& sm, Rule rule);

  Options options_;
  RaceList races_;
  DevicePages pages_;
  MetadataTable<Entry> entries_;
  MetadataTable<History> histories_;  // used where more than the last accessor is kept
  RuleCounts<Rule, kRuleCount> counts_;
  std::uint64_t coalesced_ = 0;
  std::uint64_t steps_ = 0;
  Launch launch_;
  bool running_ = false;
  std::uint32_t block_warps_ = 1;
  // The synchronisation metadata.
  std::pmr::vector<Fences> fences_;                           // by thread
  std::pmr::vector<std::uint8_t> warp_barriers_;              // by warp
  std::pmr::vector<std::uint8_t> block_barriers_;             // by block
  std::pmr::unordered_map<std::uint64_t, Barrier> barriers_;  // by block and number
  std::pmr::vector<LockTable> warp_locks_;
  std::pmr::vector<LockTable> thread_locks_;  // empty until a warp needs them
};

}  // namespace redflag::gpu::iguard
