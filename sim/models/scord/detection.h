// DetectionUnit: what ScoRD's hardware decides, with the state that it has.
//
// The fence file, counters of barriers and lock tables, the entries of figure 7 and the rules are those of
// core/detect/gpu/scord; here is how the hardware model has them: metadata is indexed by the simulated
// device's physical memory, the region is as large as the program's memory needs (MetadataMap), and
// the two extensions of section VI are here. Decides in the order in which steps are told; the time
// that this takes is ScordSide's (detector_side.h).
//
// independent_threads: of BarrierID one bit says whether the warp has diverged, and five of the unused
// bits which thread accessed. Two accesses of diverged threads of one warp are compared like those of
// two warps. __syncwarp() of all live lanes, like meeting again, ends divergence.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/detect/gpu/entry_detector.h"
#include "core/detect/gpu/scord/rules.h"
#include "sim/mem/gpu/physical.h"
#include "sim/models/scord/metadata_map.h"
#include "sim/models/scord/release_file.h"

namespace redflag::sim {

class DetectionUnit final : public gpu::EntryDetector<DetectionUnit, gpu::scord::Entry,
                                                      gpu::scord::Rule, gpu::scord::kRuleCount> {
 public:
  // `memory` is the simulated device's.
  DetectionUnit(const ScordParameters& parameters, PhysicalMemory& memory);

  void launch_begins(const gpu::Launch& launch) override;
  // Branches, joins and ends: what step() does not look at. Before step().
  void control(const gpu::Step& step);
  std::size_t metadata_bytes() const override { return sizeof(*this) + entries_.bytes(); }
  std::vector<Counter> stats() const override { return stats_of(gpu::scord::kRules); }
  std::uint64_t evictions() const { return evictions_; }
  const MetadataMap& map() const { return map_; }

 private:
  friend EntryDetector;
  using Step = gpu::Step;
  using Access = gpu::scord::Access;
  static constexpr std::size_t kBlocks = std::size_t{1} << gpu::scord::kBlockBits;
  static constexpr std::size_t kWarps = kBlocks << gpu::scord::kWarpBits;
  static constexpr std::size_t kBarriers = 16;

  static std::size_t slot(const Step& step);
  static bool takes(const Step& /*step*/) { return true; }  // numbers wrap
  void fence(const Step& step, Scope scope);
  void acquired(const Step& step, Scope scope);
  void warp_sync(const Step& step);
  gpu::CountedBarrier& round_of(const Step& step);
  void barrier_passed(const Step& step);
  void memory(const Step& step, bool store, bool is_atomic, gpu::Lanes lanes);
  // What was decided last in this step. Rules look at the entry, its fences and the access alone: lanes
  // whose entries are the same, as neighbours' mostly are, are decided once.
  struct Last {
    bool known = false;
    std::uint64_t before = 0;
    gpu::scord::Entry after{};
    gpu::scord::Rule rule{};
  };
  void unit(const Step& step, unsigned lane, std::uint64_t address, const MetadataMap::Place& place,
            const Access& access, Last& last);
  void infer_locks(const Step& step);
  void forget(std::uint64_t address);
  void own_stats(std::vector<Counter>& out) const;
  bool released_since(const gpu::scord::Entry& md, const Access& access,
                      const ReleaseWord& word) const;
  void note_release(const Step& step, const Access& access, ReleaseWord& word);

  ScordParameters parameters_;
  PhysicalMemory& physical_;
  MetadataMap map_;
  std::uint64_t evictions_ = 0;
  std::array<gpu::scord::Fences, kWarps> fences_{};
  std::array<gpu::scord::LockTable, kWarps> locks_{};
  std::array<std::uint8_t, kBlocks> barriers_{};
  std::array<std::array<gpu::CountedBarrier, kBarriers>, kBlocks> rounds_{};
  // Section VI.
  std::vector<gpu::Lanes> live_;
  std::vector<bool> diverged_;
  ReleaseFile releases_;
  gpu::MetadataTable<ReleaseWord> release_words_;
};

}  // namespace redflag::sim
