// Lines bit for bit, and the counts that their refs keep in tables.
#include "sim/models/parsnip/line.h"

#include <gtest/gtest.h>

#include <map>

namespace redflag::sim::parsnip {
namespace {

struct Counts {
  std::map<std::uint16_t, int> held;
  void hold(Ref r) {
    if (r.has_clock()) ++held[r.long_bits()];
  }
  void drop(Ref r) {
    if (r.has_clock()) --held[r.long_bits()];
  }
  int total() const {
    int n = 0;
    for (const auto& [bits, count] : held) n += count;
    return n;
  }
};

TEST(ParsnipRef, FormatsOfFigure5) {
  const Ref r(0b101010, true, false, 0b0110);
  EXPECT_EQ(r.long_bits(), 0b101010'1'0'0110);
  EXPECT_EQ(r.short_bits(), 0b101010'1'0);
  EXPECT_EQ(r.tid(), 42U);
  EXPECT_TRUE(r.write());
  EXPECT_FALSE(r.has_next());
  EXPECT_EQ(r.index(), 6U);
  EXPECT_EQ(Ref::from_short(r.short_bits()), r.with_index(kNoIndex));
  EXPECT_TRUE(r.with_next(true).has_next());
}

TEST(ParsnipLine, ManyToOneLayoutOfFigure4) {
  ParsnipLine line;
  line.fill(kUnknown);
  EXPECT_TRUE(line.many_to_one());
  EXPECT_EQ(line.bytes()[56], 0xff);
  for (unsigned s = 0; s < 16; ++s) line.set_slot_ref(s, Ref(s, s % 2 == 0, false, s % 15));
  for (unsigned b = 0; b < 64; ++b) line.set_slots(b, b + 1, b / 4);
  for (unsigned b = 0; b < 64; ++b) {
    EXPECT_EQ(line.slot(b), b / 4);
    EXPECT_EQ(line.slot_ref(line.slot(b)), Ref(b / 4, b / 4 % 2 == 0, false, b / 4 % 15));
  }
  // The bitmap is in bytes 0..31: bytes 8..11 of the data have ref 2.
  EXPECT_EQ(line.bytes()[4], 0x22);
  EXPECT_EQ(line.bytes()[5], 0x22);
  // Ref 1 = tid 1, R, F, index 1 = 0x041, the upper 12 bits of bytes 32..34.
  EXPECT_EQ(line.bytes()[33] >> 4, 0x1);
  EXPECT_EQ(line.bytes()[34], 0x04);
  EXPECT_EQ(line.bytes()[56], 0xff);
  for (unsigned b = 57; b < 64; ++b) EXPECT_EQ(line.bytes()[b], 0) << b;
}

TEST(TrackedLine, ARefCountsOncePerLine) {
  TrackedLine line;
  Counts counts;
  line.fill(kUnknown);
  const Ref a(1, true, false, 3);
  const Ref b(2, false, false, 4);
  EXPECT_TRUE(line.set(0, 8, a, counts));
  EXPECT_TRUE(line.set(16, 24, a, counts));
  EXPECT_EQ(counts.held[a.long_bits()], 1);
  EXPECT_EQ(line.run_end(0, 64), 8U);
  EXPECT_FALSE(line.alone(0, 8));
  EXPECT_TRUE(line.set(0, 8, b, counts));
  EXPECT_EQ(counts.held[a.long_bits()], 1);
  EXPECT_TRUE(line.alone(16, 24));
  EXPECT_TRUE(line.set(12, 28, b, counts));
  EXPECT_EQ(counts.held[a.long_bits()], 0);
  EXPECT_EQ(counts.held[b.long_bits()], 1);
  EXPECT_EQ(line.distinct(), 2U);
  line.clear(counts);
  EXPECT_EQ(counts.total(), 0);
  EXPECT_EQ(line.get(20), kUnknown);
}

TEST(TrackedLine, TheSeventeenthRefNeedsTheOtherMode) {
  TrackedLine line;
  Counts counts;
  line.fill(kUnknown);
  for (unsigned i = 0; i < 15; ++i) ASSERT_TRUE(line.set(i, i + 1, Ref(i, true, false, i), counts));
  EXPECT_EQ(line.distinct(), 16U);
  const Ref one_more(20, true, false, 1);
  EXPECT_FALSE(line.set(30, 31, one_more, counts));
  EXPECT_EQ(line.get(30), kUnknown);
  // In the place of a ref that nobody else uses there is room.
  EXPECT_TRUE(line.set(3, 4, one_more, counts));
  EXPECT_EQ(counts.total(), 15);
  line.to_one_to_one(counts);
  EXPECT_FALSE(line.many_to_one());
  EXPECT_EQ(counts.total(), 0);
  EXPECT_EQ(line.get(3), one_more.with_index(kNoIndex));
  EXPECT_EQ(line.get(5), Ref(5, true, false, kNoIndex));
  for (unsigned i = 30; i < 60; ++i)
    ASSERT_TRUE(line.set(i, i + 1, Ref(i, false, true, 0), counts));
  EXPECT_EQ(line.get(56), Ref(56, false, true, kNoIndex));
  EXPECT_FALSE(line.many_to_one());
  line.to_many_to_one();
  EXPECT_FALSE(line.many_to_one()) << "46 different refs do not fit";
  EXPECT_TRUE(line.set(4, 62, kNew, counts));
  line.to_many_to_one();
  EXPECT_TRUE(line.many_to_one());
  EXPECT_EQ(line.get(3), one_more.with_index(kNoIndex));
  EXPECT_EQ(line.get(60), kNew);
  EXPECT_EQ(line.get(63), kUnknown);
}

// Random updates against an array of refs: what is read back, and what tables count.
TEST(TrackedLine, AgreesWithAnArray) {
  TrackedLine line;
  Counts counts;
  line.fill(kUnknown);
  std::array<Ref, 64> model;
  model.fill(kUnknown);
  std::uint64_t random = 7;
  for (int step = 0; step < 20000; ++step) {
    random = random * 6364136223846793005U + 1442695040888963407U;
    const auto low = static_cast<unsigned>(random >> 58);
    const unsigned high = std::min(64U, low + 1 + static_cast<unsigned>(random >> 54 & 7));
    const Ref ref(random >> 40 & 3, (random >> 43 & 1) != 0, false, random >> 44 & 3);
    if (line.set(low, high, ref, counts)) {
      for (unsigned i = low; i < high; ++i) model[i] = ref;
    } else {
      line.to_one_to_one(counts);
      line.to_many_to_one();
      ASSERT_TRUE(line.many_to_one());
      for (Ref& r : model) r = r.with_index(kNoIndex);
    }
    std::map<std::uint16_t, int> expected;
    for (unsigned i = 0; i < 64; ++i) {
      ASSERT_EQ(line.get(i), model[i]) << "step " << step << " byte " << i;
      if (model[i].has_clock()) expected[model[i].long_bits()] = 1;
    }
    for (const auto& [bits, count] : counts.held) {
      ASSERT_EQ(count, expected.contains(bits) ? 1 : 0) << "step " << step;
    }
  }
}

}  // namespace
}  // namespace redflag::sim::parsnip
