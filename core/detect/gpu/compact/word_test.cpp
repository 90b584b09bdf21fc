// A word has every field in bits of its own, and gives it back.
#include "core/detect/gpu/compact/word.h"

#include <gtest/gtest.h>

namespace redflag::gpu::compact {
namespace {

TEST(CompactWord, FieldsHaveTheirBits) {
  const auto bits = [](Kind kind, std::uint32_t bytes, std::uint32_t site, const Epoch& at) {
    return Word::of(kind, bytes, site, at).bits;
  };
  EXPECT_EQ(bits(Kind::kGridReaders, 0, 0, {}), std::uint64_t{5} << 61);
  EXPECT_EQ(bits(Kind::kNone, 15, 0, {}), std::uint64_t{15} << 57);
  EXPECT_EQ(bits(Kind::kNone, 0, 0x7FFF, {}), std::uint64_t{0x7FFF} << 42);
  EXPECT_EQ(bits(Kind::kNone, 0, 0, {.block = kBlockMask}), std::uint64_t{kBlockMask} << 24);
  EXPECT_EQ(bits(Kind::kNone, 0, 0, {.warp = 31}), std::uint64_t{31} << 19);
  EXPECT_EQ(bits(Kind::kNone, 0, 0, {.lane = 31}), std::uint64_t{31} << 14);
  EXPECT_EQ(bits(Kind::kNone, 0, 0, {.time = kLastTime}), std::uint64_t{kLastTime});
}

TEST(CompactWord, GivesBackWhatItWasMadeOf) {
  const Epoch at{.block = 0x2ABCD, .warp = 17, .lane = 9, .time = 0x1234};
  const Word word = Word::of(Kind::kBlockAtomic, 6, 0x5A5A, at);
  EXPECT_EQ(word.kind(), Kind::kBlockAtomic);
  EXPECT_EQ(word.bytes(), 6U);
  EXPECT_EQ(word.site(), 0x5A5AU);
  Epoch atomic = at;
  atomic.is_atomic = true;
  EXPECT_EQ(word.epoch(), atomic);
  EXPECT_TRUE(word.as(Kind::kCopy).epoch().is_copy);
  const Word marked = word.as(Kind::kGridReaders);
  EXPECT_EQ(marked.kind(), Kind::kGridReaders);
  EXPECT_EQ(marked.epoch(), at);
  EXPECT_EQ(marked.site(), word.site());
}

TEST(CompactWord, NothingIsZero) {
  EXPECT_FALSE(Word{});
  EXPECT_TRUE(Word::of(Kind::kPlain, 15, 0, {}));
}

}  // namespace
}  // namespace redflag::gpu::compact
