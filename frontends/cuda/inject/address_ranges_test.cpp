#include "frontends/cuda/inject/address_ranges.h"

#include <gtest/gtest.h>

#include <map>
#include <utility>

namespace redflag::inject {
namespace {

class AddressRangesTest : public ::testing::Test {
 protected:
  std::map<std::uint64_t, std::uint64_t> reserved;
  std::uint64_t next = std::uint64_t{1} << 40;
  bool is_empty = false;  // the driver has no more
  AddressRanges ranges{[this](std::uint64_t bytes) -> std::uint64_t {
                         if (is_empty) return 0;
                         EXPECT_EQ(bytes % AddressRanges::kGranularity, 0U);
                         reserved[next] = bytes;
                         return std::exchange(next, next + bytes);
                       },
                       [this](std::uint64_t address, std::uint64_t bytes) {
                         EXPECT_EQ(reserved[address], bytes);
                         reserved.erase(address);
                       }};
};

TEST_F(AddressRangesTest, OfSmallOnesAreInOneReservation) {
  const std::uint64_t a = ranges.take(100), b = ranges.take(1), c = ranges.take(1000);
  EXPECT_EQ(reserved.size(), 1U);
  EXPECT_GE(b, a + 100);
  EXPECT_GE(c, b + 1);
  EXPECT_EQ(b % 512, 0U);
}

TEST_F(AddressRangesTest, OfLargeOnesAreGivenBackWithThem) {
  const std::uint64_t large = ranges.take(AddressRanges::kShared + 1);
  EXPECT_EQ(reserved.size(), 1U);
  ranges.give_back(large);
  EXPECT_TRUE(reserved.empty());
}

TEST_F(AddressRangesTest, ThatAreEmptyAreUsedAgain) {
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t at = ranges.take(AddressRanges::kShared / 4);
    EXPECT_NE(at, 0U);
    ranges.give_back(at);
  }
  EXPECT_EQ(reserved.size(), 1U);
  // One after the other, the newer before the older is gone.
  std::uint64_t before = ranges.take(AddressRanges::kShared / 4);
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t at = ranges.take(AddressRanges::kShared / 4);
    ranges.give_back(before);
    before = at;
  }
  EXPECT_LE(reserved.size(), 2U);
}

TEST_F(AddressRangesTest, MayBeMissing) {
  is_empty = true;
  EXPECT_EQ(ranges.take(1), 0U);
  is_empty = false;
  EXPECT_NE(ranges.take(1), 0U);
  ranges.give_back(7);  // of nobody
}

}  // namespace
}  // namespace redflag::inject
