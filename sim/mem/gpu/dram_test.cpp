#include "sim/mem/gpu/dram.h"

#include <gtest/gtest.h>

namespace redflag::sim {
namespace {

// One clock for all, so that times are table V's.
GpuMachine clocked() {
  GpuMachine machine;
  machine.core_mhz = machine.dram_mhz = 1000;
  return machine;
}
constexpr std::uint64_t kRow = 2048 / kGpuLineBytes;  // lines

TEST(Dram, OpensARowThenReadsFromIt) {
  Dram dram(clocked());
  EXPECT_EQ(dram.access(0, 0, 128, 1000), 1000U + 12 + 12 + 4);  // activate, column, four bursts
  EXPECT_EQ(dram.access(0, 1, 128, 2000), 2000U + 12 + 4);
  EXPECT_EQ(dram.row_hits(), 1U);
}

TEST(Dram, AnotherRowOfTheBankClosesTheFirst) {
  const GpuMachine machine = clocked();
  Dram dram(machine);
  (void)dram.access(0, 0, 128, 1000);
  const std::uint64_t other = kRow * machine.dram_banks;
  EXPECT_EQ(dram.access(0, other, 128, 2000), 2000U + 12 + 12 + 12 + 4);
  // At once: not before the row has been open for t_ras, and t_rc between activations.
  Dram hurried(machine);
  (void)hurried.access(0, 0, 128, 1000);
  EXPECT_EQ(hurried.access(0, other, 128, 1001), 1000U + 40 + 12 + 12 + 4);
}

TEST(Dram, BanksOpenApartByTheChannelsDistance) {
  Dram dram(clocked());
  EXPECT_EQ(dram.access(0, 0, 128, 1000), 1028U);
  EXPECT_EQ(dram.access(0, kRow, 128, 1000), 1028U + 6);
  EXPECT_EQ(dram.access(1, kRow, 128, 1000), 1028U);  // another channel
}

TEST(Dram, TheBusMovesSoMuchInACycle) {
  Dram dram(clocked());
  (void)dram.access(0, 0, 128, 1000);
  Cycle last = 0;
  for (std::uint64_t line = 1; line < kRow; ++line) last = dram.access(0, line, 128, 2000);
  EXPECT_EQ(last, 2000U + 12 + 4 * (kRow - 1));
  EXPECT_EQ(dram.access(0, 0, 32, 3000), 3000U + 12 + 1);
}

TEST(Dram, HasItsOwnClock) {
  GpuMachine machine = clocked();
  machine.core_mhz = 500;
  Dram dram(machine);
  EXPECT_EQ(dram.access(0, 0, 128, 1000), 1014U);  // 28 cycles of twice the clock
}

}  // namespace
}  // namespace redflag::sim
