#include "sim/mem/gpu/l2.h"

#include <gtest/gtest.h>

#include <set>

namespace redflag::sim {
namespace {

TEST(L2, LinesGoRoundTheBanks) {
  const GpuMachine machine;
  const L2 l2(machine);
  EXPECT_EQ(machine.banks(), 24U);
  EXPECT_EQ(machine.l2_sets(), 64U);        // 64 KiB a bank
  EXPECT_EQ(l2.bank_of(0), l2.bank_of(1));  // chunks of 256 bytes
  std::set<std::uint32_t> banks;
  for (std::uint64_t line = 0; line < 48; ++line) banks.insert(l2.bank_of(line));
  EXPECT_EQ(banks.size(), 24U);
}

TEST(L2, AMissBringsTheLineInAndALaterHitIsFaster) {
  GpuMachine machine;
  L2 l2(machine);
  const Cycle miss = l2.access(0, 128, L2Use::kRead, Traffic::kData, 1000).ready;
  EXPECT_GE(miss, 1000U + machine.l2_latency + machine.dram_latency);
  // While it is on its way: as soon as it comes.
  EXPECT_EQ(l2.access(0, 32, L2Use::kRead, Traffic::kData, 1010).ready, miss);
  EXPECT_EQ(l2.access(0, 32, L2Use::kRead, Traffic::kData, 5000).ready, 5000U + machine.l2_latency);
  EXPECT_EQ(l2.counts(Traffic::kData).misses, 1U);
  EXPECT_EQ(l2.counts(Traffic::kData).dram_reads, 1U);
}

TEST(L2, AStoreThatMissesGoesThrough) {
  L2 l2(GpuMachine{});
  (void)l2.access(0, 32, L2Use::kWrite, Traffic::kData, 0);
  (void)l2.access(0, 32, L2Use::kWrite, Traffic::kData, 100);
  EXPECT_EQ(l2.counts(Traffic::kData).dram_writes, 2U);
  EXPECT_EQ(l2.counts(Traffic::kData).dram_reads, 0U);
}

TEST(L2, WhatWasChangedIsWrittenBackWhenItLeaves) {
  GpuMachine machine;
  machine.l2_bytes = std::uint64_t{machine.banks()} * machine.l2_ways * kGpuLineBytes;  // one set
  L2 l2(machine);
  (void)l2.access(0, 8, L2Use::kUpdate, Traffic::kMetadata, 0);
  const std::uint64_t stride = 2ULL * machine.banks();  // the same bank
  for (std::uint64_t i = 1; i <= machine.l2_ways; ++i) {
    ASSERT_EQ(l2.bank_of(i * stride), l2.bank_of(0));
    (void)l2.access(i * stride, 128, L2Use::kRead, Traffic::kData, 1000 * i);
  }
  EXPECT_EQ(l2.counts(Traffic::kMetadata).dram_writes, 1U);
  EXPECT_EQ(l2.counts(Traffic::kData).dram_writes, 0U);
  // Clean lines leave for nothing; a flush writes what is dirty.
  (void)l2.access(0, 8, L2Use::kUpdate, Traffic::kData, 90000);
  l2.flush();
  EXPECT_EQ(l2.counts(Traffic::kData).dram_writes, 1U);
  const std::uint64_t misses = l2.counts(Traffic::kData).misses;
  (void)l2.access(0, 8, L2Use::kRead, Traffic::kData, 99000);
  EXPECT_EQ(l2.counts(Traffic::kData).misses, misses + 1);
}

TEST(L2, ABankHasOnePortAndAQueue) {
  GpuMachine machine;
  machine.l2_queue = 4;
  L2 l2(machine);
  (void)l2.access(0, 128, L2Use::kRead, Traffic::kData, 0);
  // An update of a whole line takes the port twice four cycles.
  const Cycle first = l2.access(0, 128, L2Use::kUpdate, Traffic::kData, 10000).ready;
  const Cycle second = l2.access(0, 128, L2Use::kRead, Traffic::kData, 10000).ready;
  EXPECT_EQ(second - first, 8U);
  L2::Done last{};
  for (int i = 0; i < 20; ++i) last = l2.access(0, 128, L2Use::kRead, Traffic::kData, 10000);
  EXPECT_GT(last.admitted, 10000U);
}

}  // namespace
}  // namespace redflag::sim
