#include "core/live/parts.h"

#include <gtest/gtest.h>

#include "core/live/rig.h"

namespace redflag::live {
namespace {

class PartsTest : public testing::Test {
 protected:
  std::uint32_t cell(std::uint64_t at) { return rig->shadow.get(kMemory + at).load(); }
  void write(Thread& t, std::uint64_t at, unsigned size, std::uint64_t pc = 1) {
    rig->check_small<true>(t, kMemory + at, size, pc);
  }
  void read(Thread& t, std::uint64_t at, unsigned size, std::uint64_t pc = 1) {
    rig->check_small<false>(t, kMemory + at, size, pc);
  }

  Rig rig;
  Thread& a = rig.thread(0);
  Thread& b = rig.thread(1);
};

TEST_F(PartsTest, WaitUntilTheGranuleIsWhole) {
  write(a, 0, 4);
  EXPECT_EQ(cell(0), 0U);
  EXPECT_TRUE(a.parts.any());
  write(a, 4, 2, 2);
  write(a, 6, 2, 3);
  EXPECT_EQ(cell(0), a.base);  // one handle: never split
}

TEST_F(PartsTest, ReadsAreNotWrites) {
  write(a, 0, 4);
  read(a, 4, 4);
  rig->flush_pending(a);
  EXPECT_FALSE(a.parts.any());
  EXPECT_EQ(a.waiting_count, 0U);
  EXPECT_EQ(form(cell(0)), Form::kSplit);
}

TEST_F(PartsTest, AnUnalignedAccessIsInTwoGranules) {
  write(a, 6, 4);
  rig->flush_pending(a);
  read(b, 6, 4);
  rig->flush_pending(b);
  const auto told = Rig::bytes_of(rig.take_races());
  EXPECT_EQ(told.size(), 4U);
  for (std::uint64_t at = 6; at < 10; ++at) EXPECT_TRUE(told.contains(kMemory + at)) << at;
}

// Both sides of the report are those of the accesses, however long they waited.
TEST_F(PartsTest, TheLogKnowsWhatWaited) {
  write(b, 64, 1, 0x77);
  rig->flush_pending(b);
  write(a, 64, 1, 0x88);
  for (std::uint64_t k = 0; k < 500; ++k) write(a, 1024 + 16 * k, 1, 0x99);
  rig->flush_pending(a);
  const auto races = rig.take_races();
  ASSERT_EQ(races.size(), 1U);
  EXPECT_EQ(races[0].race.context, rig->context(a, 0x88));
  EXPECT_EQ(races[0].race.access_addr, kMemory + 64);
  EXPECT_EQ(races[0].race.access_size, 1U);
}

TEST_F(PartsTest, MemoryThatIsGivenBackIsCheckedFirst) {
  write(b, 0, 8);
  read(a, 2, 2);
  rig->range(a, kMemory, 64, LogKind::kFree, 1);
  bool has_read = false;
  for (const Rig::Told& told : rig.take_races()) {
    has_read = has_read || (told.race.kind == LogKind::kRead && told.race.addr == kMemory + 2);
  }
  EXPECT_TRUE(has_read);
}

// Scattered accesses gain nothing by waiting: soon they do not.
TEST_F(PartsTest, AccessesThatStayAloneStopWaiting) {
  for (std::uint64_t k = 0; k < 4000; ++k) write(a, k * 8, 2);
  EXPECT_NE(a.parts.not_now, 0U);
  EXPECT_NE(cell(3999 * std::uint64_t{8}), 0U);
}

}  // namespace
}  // namespace redflag::live
