// What a simulation of ScoRD counted: plain numbers for its figures 8 to 11 and tables VI and VII.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/mem/gpu/gpu_timing.h"
#include "sim/mem/gpu/step_recorder.h"

namespace redflag::sim {

struct GpuMachineStats {
  Cycle cycles = 0;
  GpuCounts counts;
  L2Counts data;      // of the second-level cache and the DRAM behind it
  L2Counts metadata;  //

  std::uint64_t dram() const { return data.dram() + metadata.dram(); }
};

// A column of tables VI and VII: lines are sites of the later access, as the hardware names them.
struct ScordTable {
  std::string_view name;
  std::uint64_t lines = 0;         // that are reported
  std::vector<gpu::SiteId> sites;  // those
  std::uint64_t missed = 0;        // of those of the base design
  std::uint64_t more = 0;  // that the base design does not report: false positives of the format
  std::uint64_t metadata_bytes = 0;  // of the last launch's region
};
enum class ScordDesign : std::uint8_t { kBase, kCached, kEightBytes, kSixteenBytes };
inline constexpr std::size_t kScordDesigns = 4;

struct ScordStats {
  std::uint64_t launches = 0;
  StepCounts steps;
  GpuMachineStats baseline;                        // without a detector
  GpuMachineStats detecting;                       // with it
  std::uint64_t accesses = 0;                      // that the detector looked at, as transactions
  std::uint64_t shared = 0;                        // lines of metadata that were under way already
  std::uint64_t waited = 0;                        // cycles of packets before a full detector
  std::uint64_t evictions = 0;                     // entries that another address took
  std::uint64_t races = 0;                         // distinct
  std::uint64_t memory_bytes = 0;                  // of the program
  std::uint64_t metadata_bytes = 0;                // of the region of the last launch
  std::array<ScordTable, kScordDesigns> tables{};  // with ScordParameters::tables

  // Figure 8: cycles, as a multiple of those without a detector.
  double slowdown() const {
    return baseline.cycles == 0
               ? 1.0
               : static_cast<double>(detecting.cycles) / static_cast<double>(baseline.cycles);
  }
  // Figure 9: accesses to DRAM in the same way, of data and of metadata.
  double dram_data() const { return of_baseline(detecting.data.dram()); }
  double dram_metadata() const { return of_baseline(detecting.metadata.dram()); }

 private:
  double of_baseline(std::uint64_t accesses_to_dram) const {
    return baseline.dram() == 0
               ? 0.0
               : static_cast<double>(accesses_to_dram) / static_cast<double>(baseline.dram());
  }
};

// Figure 10: how much of a slowdown each source makes, from runs without each; parts of 1.
struct ScordParts {
  double hits = 0, packets = 0, metadata = 0;
};
ScordParts parts_of(double slowdown, double without_hits, double without_packets,
                    double without_metadata);

}  // namespace redflag::sim
