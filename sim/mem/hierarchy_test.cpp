// The memory system by hand: where lines are found, who must give them up, what leaves when.
#include "sim/mem/hierarchy.h"

#include <gtest/gtest.h>

namespace redflag::sim {
namespace {

constexpr std::uint64_t kWatch = std::uint64_t{1} << 62;

// L1 of 2 sets by 2 ways, L2 of 4 by 2, L3 of 8 by 2.
CpuMachine small() {
  CpuMachine m;
  m.cores = 3;
  m.l1_bytes = 256;
  m.l1_ways = 2;
  m.l2_bytes = 512;
  m.l2_ways = 2;
  m.l3_bytes = 1024;
  m.l3_ways = 2;
  return m;
}

TEST(Hierarchy, ThePapersLatencies) {
  Hierarchy h(CpuMachine{});
  EXPECT_EQ(h.access(0, 0x1000, Access::kRead), 120U);
  EXPECT_EQ(h.access(0, 0x1038, Access::kRead), 1U);
  EXPECT_EQ(h.access(1, 0x1000, Access::kRead), 15U);  // from core 0's caches
  EXPECT_EQ(h.access(1, 0x1000, Access::kRead), 1U);
  // Nine lines of one L1 set: the first is still in L2.
  for (std::uint64_t i = 1; i <= 8; ++i) h.access(0, 0x1000 + i * 4096, Access::kRead);
  EXPECT_EQ(h.access(0, 0x1000, Access::kRead), 10U);
  // Nine lines of one L2 set: the first of them is in L3 only.
  for (std::uint64_t i = 0; i <= 8; ++i) h.access(2, 0x100000 + i * 32768, Access::kRead);
  EXPECT_EQ(h.access(2, 0x100000, Access::kRead), 35U);
  EXPECT_EQ(h.count(Level::kL1), 2U);
  EXPECT_EQ(h.count(Level::kL2), 1U);
  EXPECT_EQ(h.count(Level::kRemote), 1U);
  EXPECT_EQ(h.count(Level::kL3), 1U);
  EXPECT_EQ(h.count(Level::kMemory), 1U + 8 + 9);
  EXPECT_EQ(h.inconsistency(), "");
}

TEST(Hierarchy, StatesOfMesi) {
  Hierarchy h(CpuMachine{});
  h.access(0, 0x40, Access::kRead);
  EXPECT_EQ(h.state(0, 0x40), Mesi::kExclusive);
  EXPECT_EQ(h.access(0, 0x40, Access::kWrite), 1U);  // silently
  EXPECT_EQ(h.state(0, 0x40), Mesi::kModified);
  h.access(1, 0x40, Access::kRead);
  EXPECT_EQ(h.state(0, 0x40), Mesi::kShared);
  EXPECT_EQ(h.state(1, 0x40), Mesi::kShared);
  EXPECT_EQ(h.access(0, 0x40, Access::kWrite), 15U);  // core 1 gives it up
  EXPECT_EQ(h.state(0, 0x40), Mesi::kModified);
  EXPECT_EQ(h.state(1, 0x40), Mesi::kInvalid);
  EXPECT_EQ(h.access(2, 0x40, Access::kWrite), 15U);
  EXPECT_EQ(h.state(0, 0x40), Mesi::kInvalid);
  EXPECT_EQ(h.state(2, 0x40), Mesi::kModified);
  EXPECT_EQ(h.invalidations(), 2U);
  EXPECT_EQ(h.inconsistency(), "");
}

TEST(Hierarchy, ACreatedLineIsNotFetched) {
  Hierarchy h(CpuMachine{});
  EXPECT_EQ(h.access(0, 0x40, Access::kCreate), 35U);
  EXPECT_EQ(h.state(0, 0x40), Mesi::kModified);
  EXPECT_EQ(h.access(0, 0x40, Access::kRead), 1U);
}

TEST(Hierarchy, WatchedLinesAreReportedWhenTheyLeave) {
  Hierarchy h(small(), kWatch);
  h.access(0, kWatch | 0x000, Access::kWrite);
  h.access(0, 0x080, Access::kRead);
  EXPECT_TRUE(h.evictions().empty());
  h.access(0, 0x100, Access::kRead);  // the third line of L1 set 0
  ASSERT_EQ(h.evictions().size(), 1U);
  EXPECT_EQ(h.evictions()[0].address, kWatch);
  EXPECT_FALSE(h.evictions()[0].from_all);
  h.evictions().clear();
  EXPECT_EQ(h.state(0, kWatch), Mesi::kModified);  // in L2, which was told
  h.access(1, 0x200, Access::kRead);
  EXPECT_TRUE(h.evictions().empty());
  h.access(1, 0x400, Access::kRead);  // the third line of L3 set 0
  ASSERT_EQ(h.evictions().size(), 1U);
  EXPECT_TRUE(h.evictions()[0].from_all);
  EXPECT_EQ(h.evictions()[0].core, 1U);
  EXPECT_EQ(h.state(0, kWatch), Mesi::kInvalid);
  EXPECT_FALSE(h.holds(kWatch));
  EXPECT_EQ(h.inconsistency(), "");
}

TEST(Hierarchy, DroppingTheLastCopyTakesALineOutOfL3) {
  Hierarchy h(CpuMachine{});
  h.access(0, 0x40, Access::kRead);
  h.access(1, 0x40, Access::kRead);
  EXPECT_FALSE(h.drop(0, 0x40));
  EXPECT_TRUE(h.holds(0x40));
  EXPECT_TRUE(h.drop(1, 0x40));
  EXPECT_FALSE(h.holds(0x40));
  h.access(0, 0x80, Access::kRead);
  EXPECT_TRUE(h.drop_everywhere(0x80));
  EXPECT_FALSE(h.drop_everywhere(0x80));
  EXPECT_EQ(h.inconsistency(), "");
}

TEST(Hierarchy, MachinesThatCannotBe) {
  CpuMachine m;
  EXPECT_EQ(m.fault(), "");
  m.cores = 65;
  EXPECT_NE(m.fault(), "");
  m = {};
  m.l3_bytes = 1000;
  EXPECT_NE(m.fault(), "");
}

// Random accesses of few lines on tiny caches: the structure stays consistent, with and without L2.
TEST(Hierarchy, StaysConsistent) {
  for (const bool with_l2 : {true, false}) {
    CpuMachine m = small();
    if (!with_l2) m.l2_bytes = 0;
    Hierarchy h(m, kWatch);
    std::uint64_t random = 99;
    for (int step = 0; step < 5000; ++step) {
      random = random * 6364136223846793005U + 1442695040888963407U;
      const auto core = static_cast<std::uint32_t>(random >> 60) % 3;
      const std::uint64_t line = random >> 33 & 31;
      const std::uint64_t address = line * 64 | (line % 2 == 0 ? kWatch : 0);
      const std::uint64_t what = random >> 50 & 15;
      if (what == 0) {
        h.drop(core, address);
      } else {
        const bool was_here = h.state(core, address) != Mesi::kInvalid;
        const bool was_held = h.holds(address);
        const std::uint32_t cycles =
            h.access(core, address, what < 6 ? Access::kWrite : Access::kRead);
        ASSERT_EQ(cycles == m.memory_cycles, !was_held) << "step " << step;
        if (was_here) {
          ASSERT_LE(cycles, m.remote_l2_cycles) << "step " << step;
        }
        ASSERT_NE(h.state(core, address), Mesi::kInvalid);
        if (what < 6) {
          ASSERT_EQ(h.state(core, address), Mesi::kModified);
        }
      }
      ASSERT_EQ(h.inconsistency(), "") << "step " << step << ", L2 " << with_l2;
      for (const Eviction& e : h.evictions()) {
        ASSERT_NE(e.address & kWatch, 0U);
        if (e.from_all && e.address != address) {
          ASSERT_FALSE(h.holds(e.address));
        }
      }
      h.evictions().clear();
    }
  }
}

}  // namespace
}  // namespace redflag::sim
