// ParsnipTable: the clocks that refs of one thread point to (PARSNIP, section 3.5).
//
// Up to 15 entries of a 64-bit clock and a 24-bit count of the ParsnipRefs in cache that name it. An
// entry whose count is 0 is free. intern() finds the entry that holds a clock or takes the lowest
// free one; when there is none, or the count is full, it rejects (kNoIndex). Whoever puts the ref
// into a line holds it, whoever takes it out drops it.
#pragma once

#include <array>
#include <cstdint>

#include "core/base/check.h"
#include "sim/models/parsnip/ref.h"

namespace redflag::sim::parsnip {

class ParsnipTable {
 public:
  static constexpr std::uint32_t kEntries = kNoIndex;
  static constexpr std::uint32_t kMaxCount = (1U << 24) - 1;

  explicit ParsnipTable(std::uint32_t entries = kEntries) : entries_(entries) {
    REDFLAG_CHECK(entries >= 1 && entries <= kEntries);
  }

  std::uint32_t intern(std::uint64_t clock) {
    if (clocks_[last_] == clock && counts_[last_] != 0 && counts_[last_] != kMaxCount) {
      return last_;
    }
    std::uint32_t free = kNoIndex;
    for (std::uint32_t i = 0; i < entries_; ++i) {
      if (counts_[i] == 0) {
        if (free == kNoIndex) free = i;
      } else if (clocks_[i] == clock) {
        if (counts_[i] == kMaxCount) return kNoIndex;
        return last_ = i;
      }
    }
    if (free != kNoIndex) {
      clocks_[free] = clock;
      last_ = free;
    }
    return free;
  }

  std::uint64_t clock(std::uint32_t index) const { return clocks_[index]; }
  std::uint32_t count(std::uint32_t index) const { return counts_[index]; }
  void hold(std::uint32_t index) {
    REDFLAG_CHECK(counts_[index] < kMaxCount);
    ++counts_[index];
  }
  void drop(std::uint32_t index) {
    REDFLAG_CHECK(counts_[index] != 0);
    --counts_[index];
  }
  // The clock of an entry that one ref alone names, and that ref's owner records anew.
  void renew(std::uint32_t index, std::uint64_t clock) { clocks_[index] = clock; }

 private:
  std::uint32_t entries_;
  std::uint32_t last_ = 0;  // of the last intern: nearly always asked again
  std::array<std::uint64_t, kEntries> clocks_{};
  std::array<std::uint32_t, kEntries> counts_{};
};

}  // namespace redflag::sim::parsnip
