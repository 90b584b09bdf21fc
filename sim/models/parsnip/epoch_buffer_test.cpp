// Buffers by hand: coalescing, snooping, the order in which software gets entries.
#include "sim/models/parsnip/epoch_buffer.h"

#include <gtest/gtest.h>

namespace redflag::sim::parsnip {
namespace {

PendingEpoch read(std::uint64_t line, unsigned low, unsigned high, std::uint32_t thread,
                  std::uint64_t clock) {
  return {line,  static_cast<std::uint8_t>(low), static_cast<std::uint8_t>(high), false,
          false, Epoch(Slot{thread}, clock)};
}
PendingEpoch write(std::uint64_t line, unsigned low, unsigned high, std::uint32_t thread,
                   std::uint64_t clock) {
  PendingEpoch e = read(line, low, high, thread, clock);
  e.write = e.supersedes = true;
  return e;
}
void put(EpochBuffers& b, std::uint32_t core, const PendingEpoch& e) {
  if (!b.coalesce(core, e)) b.insert(core, e);
}

TEST(EpochBuffers, CoalesceByLocationKindAndThread) {
  EpochBuffers b(2, 4);
  put(b, 0, read(9, 0, 8, 1, 5));
  put(b, 0, read(9, 0, 8, 1, 6));
  EXPECT_EQ(b.used(0), 1U);
  put(b, 0, write(9, 0, 8, 1, 6));
  put(b, 0, read(9, 0, 8, 2, 6));
  put(b, 0, read(9, 0, 4, 1, 6));
  EXPECT_EQ(b.used(0), 4U);
  EXPECT_TRUE(b.full(0));
  EXPECT_FALSE(b.coalesce(1, read(9, 0, 8, 1, 7))) << "each core has its own";
  EXPECT_TRUE(b.coalesce(0, read(9, 0, 4, 1, 7)));
}

TEST(EpochBuffers, SnoopingFindsTheNewestOfALocation) {
  EpochBuffers b(2, 4);
  std::uint32_t core = 9;
  put(b, 0, write(9, 0, 8, 1, 5));
  ASSERT_NE(b.find(9, 2, 4, true, Slot{1}, core), nullptr);
  EXPECT_EQ(core, 0U);
  EXPECT_EQ(b.find(9, 2, 4, true, Slot{2}, core), nullptr);
  EXPECT_EQ(b.find(9, 2, 4, false, Slot{1}, core), nullptr);
  EXPECT_EQ(b.find(9, 4, 12, true, Slot{1}, core), nullptr) << "a part is elsewhere";
  put(b, 1, write(9, 3, 5, 1, 6));
  EXPECT_EQ(b.find(9, 2, 4, true, Slot{1}, core), nullptr) << "byte 3 came later than byte 2";
  ASSERT_NE(b.find(9, 3, 4, true, Slot{1}, core), nullptr);
  EXPECT_EQ(b.find(9, 3, 4, true, Slot{1}, core)->epoch.clock(), 6U);
  EXPECT_EQ(core, 1U);
  // A write by another thread came after: the old one is not the last.
  put(b, 0, write(9, 3, 4, 2, 1));
  EXPECT_EQ(b.find(9, 3, 4, true, Slot{1}, core), nullptr);
}

TEST(EpochBuffers, SoftwareGetsTheEntriesOfALineInTheirOrder) {
  EpochBuffers b(3, 4);
  put(b, 2, read(9, 0, 8, 1, 5));
  put(b, 0, write(9, 0, 8, 2, 3));
  put(b, 1, write(10, 0, 8, 2, 3));
  put(b, 2, read(9, 0, 8, 1, 6));  // coalesced: now the newest
  std::vector<std::uint64_t> order;
  b.take(9, [&](const PendingEpoch& e) { order.push_back(e.epoch.clock()); });
  EXPECT_EQ(order, (std::vector<std::uint64_t>{3, 6}));
  EXPECT_EQ(b.used(0), 0U);
  EXPECT_EQ(b.used(1), 1U);
  EXPECT_EQ(b.used(2), 0U);
  EXPECT_EQ(b.some(1).line, 10U);
  b.take(9, [](const PendingEpoch&) { ADD_FAILURE(); });
}

}  // namespace
}  // namespace redflag::sim::parsnip
