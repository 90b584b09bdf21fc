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
// docs/gpu-detectors.md has the list, and differential_test.cpp holds every disagreement with
// ptx_model to it. Names one side's line, as the hardware does. O(1) for each lane and unit of
// memory; one thread at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory_resource>
#include <vector>

#include "core/detect/gpu/gpu_detector.h"
#include "core/detect/gpu/metadata_table.h"
#include "core/detect/gpu/race_list.h"
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

class Scord final : public GpuDetector {
 public:
  explicit Scord(Options options = {});

  void launch_begins(const Launch& launch) override;
  void step(const Step& step) override;
  void launch_ends(LaunchId /*launch*/) override { running_ = false; }
  void host(const HostStep& step) override;

  std::vector<GpuRace> races() const override { return races_.all(); }
  std::uint64_t dropped() const override { return races_.dropped(); }
  std::size_t metadata_bytes() const override { return sizeof(*this) + entries_.bytes(); }
  std::vector<Counter> stats() const override;
  std::uint64_t count(Rule rule) const { return counts_.of(rule); }
  std::uint64_t evictions() const { return evictions_; }

 private:
  static constexpr std::size_t kBlocks = std::size_t{1} << kBlockBits;
  static constexpr std::size_t kWarps = kBlocks << kWarpBits;
  static constexpr std::size_t kBarriers = 16;  // of a block

  static std::size_t slot(std::uint64_t block, std::uint32_t warp) {
    return (wrapped<kBlockBits>(block) << kWarpBits) | wrapped<kWarpBits>(warp);
  }
  struct Place {
    std::uint64_t index;
    std::uint32_t tag;
  };
  Place place_of(std::uint64_t address);
  void fence(const Step& step, Scope scope);
  void barrier(const Step& step);
  void memory(const Step& step, AccessKind kind, bool is_atomic, Lanes lanes);
  void unit(const Step& step, unsigned lane, std::uint64_t address, const Access& access);
  void infer_locks(const Step& step);
  void declare(const Step& step, unsigned lane, std::uint64_t address, const Entry& md,
               const Access& access, Rule rule);

  Options options_;
  RaceList races_;
  DevicePages pages_;
  MetadataTable<Entry> entries_;
  RuleCounts<Rule, kRuleCount> counts_;
  std::uint64_t evictions_ = 0;
  std::uint64_t steps_ = 0;
  Launch launch_;
  bool running_ = false;
  // The hardware's state: fence file, lock tables, barrier counters.
  std::array<Fences, kWarps> fences_{};
  std::array<LockTable, kWarps> locks_{};
  std::array<std::uint8_t, kBlocks> barriers_{};
  struct Barrier {
    std::uint32_t passed = 0;  // rounds that were counted
    bool whole = true;         // of all threads of the block
  };
  std::array<std::array<Barrier, kBarriers>, kBlocks> rounds_{};
};

}  // namespace redflag::gpu::scord
