// Cells at fixed places: which pages have some, when stamps begin again. On the emulated device.
#include "frontends/cuda/device/compact_flat_pages.h"

#include <gtest/gtest.h>

#include "frontends/cuda/device/testing.h"

namespace redflag::device::compact {
namespace {

constexpr std::uint64_t kPage = std::uint64_t{1} << kPageBits;
constexpr std::uint64_t kFirst = std::uint64_t{3} << kRegionBits;  // of the program's memory
constexpr std::uint64_t kMuch = std::uint64_t{1} << 40;

struct FlatPages : ::testing::TestWithParam<CellLayout> {
  cuda::Device device{cuda::DeviceOptions{}};
  testing::EmulatedMemory memory{device};
  const std::uint64_t state = memory.allocate(sizeof(State)).value_or(0);
  CompactFlatPages pages{memory, GetParam()};

  FlatPages() { pages.begin(state); }
  ~FlatPages() override { EXPECT_NE(state, 0U); }
  std::uint64_t word(std::uint64_t address) {
    std::uint64_t value = 0;
    memory.read(address, std::as_writable_bytes(std::span(&value, 1)));
    return value;
  }
  std::uint64_t cells_of(std::uint64_t address) {
    const std::uint64_t table = word(state + GetParam().table_at);
    return word(table + (address >> kPageBits & (kRegionPages - 1)) * 8);
  }
};

TEST_P(FlatPages, ArePointedToFromTheTable) {
  ASSERT_TRUE(pages.use(kFirst + kPage / 2, kFirst + 2 * kPage, kMuch));
  EXPECT_EQ(word(state + GetParam().table_at + 8), kFirst >> kRegionBits);
  EXPECT_NE(cells_of(kFirst), 0U);
  EXPECT_NE(cells_of(kFirst + kPage), 0U);
  EXPECT_EQ(cells_of(kFirst + 2 * kPage), 0U);
  EXPECT_EQ(pages.bytes(), 2 * GetParam().page_bytes);
}

TEST_P(FlatPages, AreGivenBackByTheirLastUser) {
  ASSERT_TRUE(pages.use(kFirst, kFirst + 100, kMuch));
  ASSERT_TRUE(pages.use(kFirst + 256, kFirst + 300, kMuch));
  EXPECT_EQ(pages.bytes(), GetParam().page_bytes);
  pages.leave(kFirst);
  EXPECT_NE(cells_of(kFirst), 0U);
  pages.leave(kFirst + 256);
  EXPECT_EQ(cells_of(kFirst), 0U);
  EXPECT_EQ(pages.bytes(), 0U);
}

TEST_P(FlatPages, FitOrAreNotMade) {
  EXPECT_FALSE(pages.use(kFirst, kFirst + kPage, GetParam().page_bytes - 1));
  EXPECT_TRUE(pages.use(kFirst, kFirst + kPage, GetParam().page_bytes));
}

TEST_P(FlatPages, AreClearedWhenStampsBeginAgain) {
  ASSERT_TRUE(pages.use(kFirst, kFirst + 100, kMuch));
  const std::uint64_t cells = cells_of(kFirst), some = ~std::uint64_t{0};
  for (std::uint32_t i = 1; i <= GetParam().last_stamp; ++i) EXPECT_EQ(pages.next_stamp(false), i);
  memory.write(cells, std::as_bytes(std::span(&some, 1)));
  EXPECT_EQ(pages.next_stamp(false), 0U);  // something runs
  EXPECT_EQ(word(cells), some);
  EXPECT_EQ(pages.next_stamp(true), 1U);
  EXPECT_EQ(word(cells), 0U);
}

INSTANTIATE_TEST_SUITE_P(Layouts, FlatPages, ::testing::Values(kFlatLayout, kDirectLayout));

}  // namespace
}  // namespace redflag::device::compact
