#include "sim/mem/gpu/gpu_machine.h"

#include <gtest/gtest.h>

namespace redflag::sim {
namespace {

TEST(GpuMachine, IsThatOfTableV) {
  const GpuMachine machine;
  EXPECT_EQ(machine.sms * machine.warps_per_sm, 480U);
  EXPECT_EQ(machine.l1_sets(), 32U);
  EXPECT_EQ(std::uint64_t{machine.l2_sets()} * machine.banks() * machine.l2_ways * kGpuLineBytes,
            3ULL << 19);
  EXPECT_EQ(fault_of(machine), "");
}

TEST(GpuMachine, WhatCannotBeBuiltIsNamed) {
  GpuMachine machine;
  machine.sms = 0;
  EXPECT_EQ(fault_of(machine), "sms = 0: from 1 to 255");
  machine = {};
  machine.l2_bytes = 4096;
  EXPECT_NE(fault_of(machine).find("24 banks"), std::string::npos);
}

}  // namespace
}  // namespace redflag::sim
