#include "frontends/cpu/rt/note_run.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace redflag::rt {
namespace {

using abi::WatchedAccess;

std::set<std::uint64_t> bytes_of(const WatchedAccess& a) {
  std::set<std::uint64_t> bytes;
  for (std::uint64_t k = 0; k < a.count; ++k) {
    for (std::uint64_t at = a.begin; at < a.end; ++at) bytes.insert(at + k * a.step);
  }
  return bytes;
}

WatchedAccess access(std::uint64_t begin, std::uint64_t size) {
  return {begin, begin + size, 0, 1, 7, false};
}

TEST(NoteRun, AWalkIsOne) {
  WatchedAccess run = access(1000, 8);
  for (std::uint64_t k = 1; k < 100; ++k) EXPECT_TRUE(becomes_part(run, access(1000 + k * 8, 8)));
  EXPECT_EQ(run.begin, 1000U);
  EXPECT_EQ(run.end, 1800U);
  EXPECT_EQ(run.count, 1U);
}

TEST(NoteRun, AtomicOnesAndSuchThatPollStayApart) {
  const WatchedAccess run = access(1000, 8);
  WatchedAccess polls = access(1008, 8);
  polls.may_poll = true;
  WatchedAccess atomic = access(1008, 8);
  atomic.is_atomic = true;
  WatchedAccess now = run;
  EXPECT_FALSE(becomes_part(now, polls));
  EXPECT_FALSE(becomes_part(now, atomic));
  EXPECT_FALSE(becomes_part(atomic, atomic));
  EXPECT_TRUE(becomes_part(polls, polls));
}

TEST(NoteRun, SoIsOneThatLeavesSomethingOut) {
  WatchedAccess run = access(1000, 8);
  for (std::uint64_t k = 1; k < 100; ++k) EXPECT_TRUE(becomes_part(run, access(1000 + k * 16, 8)));
  EXPECT_EQ(run.count, 100U);
  EXPECT_EQ(run.step, 16U);
  EXPECT_FALSE(becomes_part(run, access(1000 + 101 * 16, 8)));  // the next but one
  EXPECT_TRUE(becomes_part(run, {2600, 2608, 16, 50, 7, false}));
  EXPECT_EQ(run.count, 150U);
}

TEST(NoteRun, OtherPlacesAreApart) {
  WatchedAccess run = access(1000, 8);
  EXPECT_FALSE(becomes_part(run, {1008, 1016, 0, 1, 8, false}));
  EXPECT_FALSE(becomes_part(run, {1008, 1016, 0, 1, 7, true}));
  EXPECT_FALSE(becomes_part(run, access(1020, 4)));
  EXPECT_FALSE(becomes_part(run, access(1000 + (std::uint64_t{1} << 33), 8)));
}

TEST(NoteRun, StandsForTheBytesOfItsParts) {
  std::mt19937 random(1);
  unsigned joined = 0;
  for (int round = 0; round < 20000; ++round) {
    const auto any = [&] {
      WatchedAccess a = access(random() % 40 * 4, 4 + random() % 3 * 4);
      if (random() % 2 == 0) {
        a.step = static_cast<std::uint32_t>(a.end - a.begin) + 4 + random() % 3 * 4;
        a.count = 2 + random() % 4;
      }
      return a;
    };
    WatchedAccess run = any();
    for (int k = 0; k < 4; ++k) {
      const WatchedAccess now = any();
      std::set<std::uint64_t> both = bytes_of(run);
      const WatchedAccess before = run;
      both.merge(bytes_of(now));
      if (becomes_part(run, now)) {
        ++joined;
        ASSERT_EQ(bytes_of(run), both);
      } else {
        ASSERT_EQ(bytes_of(run), bytes_of(before));
      }
    }
  }
  EXPECT_GT(joined, 1000U);
}

}  // namespace
}  // namespace redflag::rt
