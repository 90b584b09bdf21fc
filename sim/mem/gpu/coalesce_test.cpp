#include "sim/mem/gpu/coalesce.h"

#include <gtest/gtest.h>

#include <functional>

namespace redflag::sim {
namespace {

Transactions of(const std::function<std::uint64_t(unsigned)>& address, std::uint32_t size,
                gpu::Lanes lanes = ~0U, bool is_atomic = false) {
  std::array<std::uint64_t, gpu::kWarp> addresses{};
  for (unsigned lane = 0; lane < gpu::kWarp; ++lane) addresses[lane] = address(lane);
  Transactions made;
  coalesce(addresses.data(), size, lanes, is_atomic, std::identity{}, made);
  return made;
}

TEST(Coalesce, AWarpsWordsAreOneLine) {
  const Transactions made = of([](unsigned lane) { return 1280 + 4 * lane; }, 4);
  ASSERT_EQ(made.size, 1U);
  EXPECT_EQ(made.list[0].line, 10U);
  EXPECT_EQ(made.list[0].words, ~0U);
  EXPECT_EQ(made.list[0].bytes, 128U);
}

TEST(Coalesce, OnlyThePartThatIsWantedMoves) {
  EXPECT_EQ(bytes_of(1U << 31), 32U);
  EXPECT_EQ(bytes_of(0x0100'0100), 128U);
  EXPECT_EQ(bytes_of(0x0000'8001), 64U);
  EXPECT_EQ(bytes_of(0x0000'0180), 64U);
  EXPECT_EQ(of([](unsigned lane) { return 4 * lane; }, 4, 0xFF).list[0].bytes, 32U);
}

TEST(Coalesce, ScatteredLanesHaveLinesOfTheirOwn) {
  const Transactions made = of([](unsigned lane) { return 512 * lane; }, 4);
  EXPECT_EQ(made.size, 32U);
  EXPECT_EQ(made.list[31].bytes, 32U);
}

TEST(Coalesce, VectorsMayCrossLines) {
  const Transactions made = of([](unsigned lane) { return 120 + 16 * lane; }, 16, 1);
  ASSERT_EQ(made.size, 2U);
  EXPECT_EQ(made.list[0].words, 0xC000'0000);
  EXPECT_EQ(made.list[1].words, 0x3U);
}

TEST(Coalesce, AtomicsOfOneWordCannotShare) {
  EXPECT_EQ(of([](unsigned) { return 64; }, 4, ~0U, true).size, 32U);
  EXPECT_EQ(of([](unsigned lane) { return 4 * lane; }, 4, ~0U, true).size, 1U);
  const Transactions pairs = of([](unsigned lane) { return 4 * (lane / 2); }, 4, ~0U, true);
  ASSERT_EQ(pairs.size, 2U);
  EXPECT_EQ(pairs.list[1].words, 0xFFFFU);
  EXPECT_EQ(of([](unsigned) { return 64; }, 4, ~0U, false).size, 1U);
}

TEST(Coalesce, BanksOfSharedMemory) {
  std::array<std::uint64_t, gpu::kWarp> address{};
  const auto times = [&](unsigned stride) {
    for (unsigned lane = 0; lane < gpu::kWarp; ++lane) address[lane] = std::uint64_t{stride} * lane;
    return bank_conflicts(address.data(), ~0U);
  };
  EXPECT_EQ(times(4), 1U);
  EXPECT_EQ(times(0), 1U);  // one word for all
  EXPECT_EQ(times(8), 2U);
  EXPECT_EQ(times(128), 32U);
  EXPECT_EQ(times(132), 1U);
}

}  // namespace
}  // namespace redflag::sim
