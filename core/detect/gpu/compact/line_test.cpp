// Patterns of lanes on lines: who has which word, for all widths and shifts, against plain counting.
#include "core/detect/gpu/compact/line.h"

#include <gtest/gtest.h>

namespace redflag::gpu::compact {
namespace {

// The words of one line that lanes access: lane l is at byte `begin` + l * bytes, counted from the
// line's first one.
struct Counted {
  std::uint32_t words = 0;
  std::uint32_t lanes = 0;  // that access the line
  std::uint32_t lane_of[kLineWords] = {};
};
Counted count(int begin, std::uint32_t bytes, std::uint32_t active) {
  Counted out;
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    const int at = begin + static_cast<int>(lane * bytes);
    if ((active >> lane & 1) == 0 || at < 0 || at >= static_cast<int>(kLineBytes)) continue;
    out.lanes |= 1U << lane;
    for (std::uint32_t i = 0; i < bytes / kUnit; ++i) {
      const std::uint32_t word = static_cast<std::uint32_t>(at) / kUnit + i;
      out.words |= 1U << word;
      out.lane_of[word] = lane;
    }
  }
  return out;
}

TEST(CompactLine, MapsSayWhichLaneHasWhichWord) {
  constexpr std::uint32_t kActive[] = {~0U, 1U, 0x80000001U, 0x0F0F00FFU, 0xFFFF0000U};
  for (std::uint32_t width = 0; width < 3; ++width) {
    const std::uint32_t bytes = kUnit << width;
    const int step = static_cast<int>(bytes);
    for (int begin = -31 * step; begin < static_cast<int>(kLineBytes); begin += step) {
      for (const std::uint32_t active : kActive) {
        const Counted counted = count(begin, bytes, active);
        if (counted.lanes == 0) continue;
        const Map map{width, static_cast<std::uint32_t>(begin / step) & 31};
        ASSERT_EQ(map.words_of(counted.lanes), counted.words) << width << " " << begin;
        for (std::uint32_t word = 0; word < kLineWords; ++word) {
          if ((counted.words >> word & 1) == 0) continue;
          ASSERT_EQ(map.lane_of(word), counted.lane_of[word])
              << width << " " << begin << " " << word;
        }
      }
    }
  }
}

TEST(CompactLine, OwnersGiveBackWhatTheyWereMadeOf) {
  const Map map{2, 27};
  const Owner owner = Owner::of(41, 0x3FFFE, 19, map.bits());
  EXPECT_EQ(owner.launch(), 41U);
  EXPECT_EQ(owner.block(), 0x3FFFEU);
  EXPECT_EQ(owner.warp(), 19U);
  EXPECT_EQ(owner.map().width, 2U);
  EXPECT_EQ(owner.map().shift, 27U);
  const Owner later = owner.with_time(true, kLastTime).with_time(false, 77);
  EXPECT_EQ(later.key(), owner.key());
  EXPECT_EQ(later.write_time(), kLastTime);
  EXPECT_EQ(later.read_time(), 77U);
  EXPECT_EQ(later.epoch(8, false), (Epoch{0x3FFFE, 19, map.lane_of(8), 77}));
  EXPECT_NE(Owner::of(41, 1, 1, kCells).key(), Owner::of(41, 1, 1, kBusy).key());
}

TEST(CompactLine, OthersGiveBackWhatTheyWereMadeOf) {
  const Others others = Others::of(63, true, kLastTime, 0x80000001U);
  EXPECT_EQ(others.launch(), 63U);
  EXPECT_TRUE(others.other_block());
  EXPECT_EQ(others.time(), kLastTime);
  EXPECT_EQ(others.words(), 0x80000001U);
  EXPECT_FALSE(Others::of(63, false, kLastTime, ~0U).other_block());
}

}  // namespace
}  // namespace redflag::gpu::compact
