// Intrinsics, compiled to PTX as runtimes are, on the emulated device.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "frontends/cuda/emulate/testing.h"

namespace redflag::device {

std::string_view intrinsics_test_ptx(std::uint32_t sm);  // by redflag_device_runtime

namespace {

using cuda::testing::Gpu;

struct Intrinsics : ::testing::TestWithParam<std::uint32_t> {
  Gpu gpu{std::string(intrinsics_test_ptx(GetParam())), {.seed = 3}};
};

TEST_P(Intrinsics, SayWho) {
  auto* const out = gpu.array<std::uint32_t>(2048);
  ASSERT_EQ(gpu.launch("who", {.grid = {2, 2}, .block = {4, 8, 2}}, out).text, "");
  for (std::uint64_t block = 0; block < 4; ++block) {
    for (std::uint64_t thread = 0; thread < 64; ++thread) {
      const std::uint32_t* const at = out + 8 * (64 * block + thread);
      EXPECT_EQ(at[0], thread % 32);
      EXPECT_EQ(at[1], (std::uint64_t{1} << thread % 32) - 1);
      EXPECT_EQ(at[2], thread);
      EXPECT_EQ(at[3], 64U);
      EXPECT_EQ(at[4], block);
    }
  }
}

TEST_P(Intrinsics, WorkTogether) {
  auto* const out = gpu.array<std::uint64_t>(512);
  ASSERT_EQ(gpu.launch("together", {.grid = {1}, .block = {64}}, out).text, "");
  for (std::uint64_t thread = 0; thread < 64; ++thread) {
    if (thread % 4 == 3) continue;
    const std::uint64_t* const at = out + 8 * thread;
    const std::uint64_t base = thread / 32 * 32;
    EXPECT_EQ(at[0], 0x22222222U);
    EXPECT_EQ(at[1], 1U);
    EXPECT_EQ(at[2], 1U);
    EXPECT_EQ(at[3], (base + 1) * 10);
    EXPECT_EQ(at[4], (base << 40) + 1);
    EXPECT_EQ(at[5], std::uint64_t{0x01010101U} << thread % 8);
    EXPECT_EQ(at[6], thread % 2 == 1 ? 0x22222222U : 0x55555555U);
    EXPECT_EQ(at[7], 24U);
  }
}

TEST_P(Intrinsics, AccessMemory) {
  auto* const out = gpu.array<std::uint64_t>(16);
  ASSERT_EQ(gpu.launch("memory", {.grid = {1}, .block = {64}}, out).text, "");
  EXPECT_EQ(out[0], 64U);
  EXPECT_EQ(out[3], 10U);
  EXPECT_EQ(out[4], std::uint64_t{7} << 33);
  EXPECT_EQ(out[5], 11U);
  EXPECT_EQ(out[6], std::uint64_t{7} << 33);
  EXPECT_EQ(out[7], 2U);
  EXPECT_EQ(out[8], 614U);
  EXPECT_EQ(out[9], 1230U);
  EXPECT_EQ(out[10], 1U);
  EXPECT_EQ(out[2], 1U);
  EXPECT_EQ(out[1], 2U);
}

TEST_P(Intrinsics, KnowSpaces) {
  auto* const out = gpu.array<std::uint64_t>(4);
  ASSERT_EQ(gpu.launch("spaces", {.grid = {1}, .block = {1}}, out).text, "");
  EXPECT_EQ(out[0], 1U);
  EXPECT_EQ(out[1], 1U);
  EXPECT_EQ(out[2], 12U);
}

TEST_P(Intrinsics, KnowClusters) {
  if (GetParam() < 90) GTEST_SKIP() << "sm_75 has no clusters";
  auto* const out = gpu.array<std::uint32_t>(16);
  ASSERT_EQ(gpu.launch("clusters", {.grid = {4}, .block = {1}, .cluster = {2}}, out).text, "");
  for (std::uint64_t block = 0; block < 4; ++block) {
    EXPECT_EQ(out[4 * block], block % 2);
    EXPECT_EQ(out[4 * block + 1], block % 2);
    EXPECT_EQ(out[4 * block + 2], 1U);
    EXPECT_EQ(out[4 * block + 3], 1U);
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, Intrinsics, ::testing::Values(75U, 90U));

}  // namespace
}  // namespace redflag::device
