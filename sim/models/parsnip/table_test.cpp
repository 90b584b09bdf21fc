// Tables by hand: sharing, rejection, recycling, the 24-bit count.
#include "sim/models/parsnip/table.h"

#include <gtest/gtest.h>

namespace redflag::sim::parsnip {
namespace {

TEST(ParsnipTable, EqualClocksShareAnEntry) {
  ParsnipTable t;
  const std::uint32_t a = t.intern(7);
  t.hold(a);
  EXPECT_EQ(a, 0U);
  EXPECT_EQ(t.intern(7), a);
  t.hold(a);
  EXPECT_EQ(t.count(a), 2U);
  EXPECT_EQ(t.intern(8), 1U);
}

TEST(ParsnipTable, AFullTableRejects) {
  ParsnipTable t;
  for (std::uint64_t c = 1; c <= 15; ++c) t.hold(t.intern(c));
  EXPECT_EQ(t.intern(16), kNoIndex);
  EXPECT_EQ(t.intern(3), 2U) << "what it holds it still finds";
  t.drop(4);
  EXPECT_EQ(t.intern(16), 4U) << "an entry that no ref names is free";
  t.hold(4);
  EXPECT_EQ(t.clock(4), 16U);
  EXPECT_EQ(t.intern(5), kNoIndex);
}

TEST(ParsnipTable, AnUnheldEntryIsFree) {
  ParsnipTable t(1);
  EXPECT_EQ(t.intern(1), 0U);
  EXPECT_EQ(t.intern(2), 0U);
  t.hold(0);
  EXPECT_EQ(t.intern(1), kNoIndex);
}

TEST(ParsnipTable, TheCountHas24Bits) {
  ParsnipTable t;
  t.intern(1);
  for (std::uint32_t i = 0; i < ParsnipTable::kMaxCount; ++i) t.hold(0);
  EXPECT_EQ(t.count(0), 0xffffffU);
  EXPECT_EQ(t.intern(1), kNoIndex) << "one more ref could not be counted";
  t.drop(0);
  EXPECT_EQ(t.intern(1), 0U);
}

}  // namespace
}  // namespace redflag::sim::parsnip
