#include "sim/mem/paging.h"

#include <gtest/gtest.h>

#include <set>

namespace redflag::sim {
namespace {

TEST(Paging, IsABijectionThatKeepsOffsets) {
  for (std::uint64_t line : {0UL, 1UL, 63UL, 64UL, 0x1fffffffffUL, 0x7f0000000040UL / 64}) {
    EXPECT_EQ(virtual_line(physical_line(line)), line);
    EXPECT_EQ(physical_line(line) % 64, line % 64);
  }
}

// Heaps of threads begin every 64 MiB: their first pages must not share the sets of L3.
TEST(Paging, AlignedPagesAreSpreadOverSets) {
  std::set<std::uint64_t> sets;
  for (std::uint64_t i = 0; i < 64; ++i)
    sets.insert(physical_line((0x7f0000000000 + (i << 26)) / 64) % 32768);
  EXPECT_GT(sets.size(), 50U);
}

}  // namespace
}  // namespace redflag::sim
