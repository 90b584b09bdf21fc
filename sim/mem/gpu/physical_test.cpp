#include "sim/mem/gpu/physical.h"

#include <gtest/gtest.h>

namespace redflag::sim {
namespace {

TEST(PhysicalMemory, AllocationsAreOneBehindTheOther) {
  PhysicalMemory memory;
  memory.allocate(0x7000'0000'1000, 8192);
  memory.allocate(0x1000, 100);
  EXPECT_EQ(memory.bytes(), 3U * 4096);
  EXPECT_EQ(memory.physical(0x7000'0000'1004), 4U);
  EXPECT_EQ(memory.physical(0x7000'0000'2000), 4096U);
  EXPECT_EQ(memory.physical(0x1010), 8192U + 0x10);
}

TEST(PhysicalMemory, UnknownMemoryComesWhenItIsUsed) {
  PhysicalMemory memory;
  EXPECT_EQ(memory.physical(0x5123), 0x123U);
  EXPECT_EQ(memory.physical(0x9000), 4096U);
  EXPECT_EQ(memory.physical(0x5000), 0U);
  memory.allocate(0x5000, 4096);  // it has its page
  EXPECT_EQ(memory.bytes(), 2U * 4096);
}

}  // namespace
}  // namespace redflag::sim
