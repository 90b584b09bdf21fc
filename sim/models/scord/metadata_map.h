// MetadataMap: which entry of metadata a unit of memory has, and where that entry is.
//
// Metadata is a region of the device's own memory behind the program's, as large as that needs: an
// entry for each unit, or for sixteen of them, direct-mapped by the remainder, with the quotient as tag
// (ScoRD, section IV-B). A region is made when a launch begins, for the memory that the program has
// then, and for 64 KiB at least; what a kernel uses beyond wraps, and so may its tag.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sim/mem/gpu/gpu_machine.h"
#include "sim/models/scord/scord_parameters.h"

namespace redflag::sim {

class MetadataMap {
 public:
  explicit MetadataMap(const ScordParameters& parameters)
      : granularity_(parameters.granularity),
        entry_bytes_(parameters.entry_bytes()),
        units_per_entry_(parameters.metadata_cache ? gpu::scord::kCachedUnits : 1) {}

  void begin(std::uint64_t memory_bytes) {
    const std::uint64_t units = std::max(memory_bytes, kLeastBytes) / granularity_;
    // Whole lines of data, so that a line's entries are neighbours.
    const std::uint64_t of_line = kGpuLineBytes / granularity_;
    entries_ = (units / units_per_entry_ + of_line - 1) / of_line * of_line;
  }
  struct Place {
    std::uint64_t index;
    std::uint64_t tag;  // as wide as it is
  };
  Place place_of(std::uint64_t physical) const {
    const std::uint64_t unit = physical / granularity_;
    if (unit < entries_) return {unit, 0};
    return {unit % entries_, unit / entries_};
  }
  std::uint64_t entries() const { return entries_; }
  std::uint64_t bytes() const { return entries_ * entry_bytes_; }

  // The lines of metadata that an access to some words of a line of data needs: visit(line of
  // metadata, entries of it by bit).
  template <typename Visit>
  void each_line(std::uint64_t line, std::uint32_t words, Visit visit) const {
    const std::uint32_t words_per_unit = granularity_ / 4;
    const std::uint64_t first = place_of(line << kLineBits).index;
    const std::uint32_t per_line = kGpuLineBytes / entry_bytes_;
    const std::uint32_t units = kGpuLineBytes / granularity_;
    const std::uint32_t unit_words = (1U << words_per_unit) - 1;
    std::uint64_t current = 0;
    std::uint32_t mask = 0;
    for (std::uint32_t unit = 0; unit < units; ++unit) {
      if ((words >> (unit * words_per_unit) & unit_words) == 0) continue;
      const std::uint64_t index = first + unit;
      if (mask != 0 && index / per_line != current) {
        visit(kFirstLine + current, mask);
        mask = 0;
      }
      current = index / per_line;
      mask |= 1U << (index % per_line);
    }
    if (mask != 0) visit(kFirstLine + current, mask);
  }

 private:
  static constexpr std::uint64_t kLeastBytes = 65536;
  // Behind any memory of a program.
  static constexpr std::uint64_t kFirstLine = std::uint64_t{1} << 40;

  std::uint32_t granularity_;
  std::uint32_t entry_bytes_;
  std::uint64_t units_per_entry_;
  std::uint64_t entries_ = 1;
};

}  // namespace redflag::sim
