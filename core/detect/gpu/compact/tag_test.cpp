// Tags: fields do not meet, the one comparison says what the fields say, and random accesses of a block to
// one word against a history that forgets nothing.
#include "core/detect/gpu/compact/tag.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace redflag::gpu::compact {
namespace {

TEST(Tag, KeepsWhatItIsMadeOf) {
  for (std::uint32_t interval = 1; interval < 16; ++interval) {
    for (const std::uint32_t thread : {0U, 31U, 32U, 1023U}) {
      for (const std::uint32_t phase : {0U, 1U, Tag::kLastPhase}) {
        const Tag tag = Tag::of(interval, thread, phase).at(1023 + 7, true);
        EXPECT_EQ(tag.interval(), interval);
        EXPECT_EQ(tag.thread(), thread);
        EXPECT_EQ(tag.phase(), phase);
        EXPECT_EQ(tag.site(), 6U);
        EXPECT_TRUE(tag.mark());
        EXPECT_FALSE(Tag::of(interval, thread, phase).at(5, false).mark());
      }
    }
  }
}

TEST(Tag, AReadInPlaceOfAnotherWarpsStandsForBoth) {
  const Tag mine = Tag::of(3, 40, 2).at(9, false);
  const auto joined = [&](Tag before) { return before.joined(mine); };
  EXPECT_TRUE(joined(Tag::of(3, 7, 1).at(9, false)).stands_for_others(mine));
  EXPECT_TRUE(joined(joined(Tag::of(3, 7, 1).at(9, false))).stands_for_others(mine));
  EXPECT_EQ(joined({}).bits, mine.bits);                              // nobody's
  EXPECT_EQ(joined(Tag::of(2, 7, 1).at(9, false)).bits, mine.bits);   // of another interval
  EXPECT_EQ(joined(Tag::of(3, 7, 1).at(8, false)).bits, mine.bits);   // another site
  EXPECT_EQ(joined(Tag::of(3, 33, 1).at(9, false)).bits, mine.bits);  // its own warp
  // Asked by another warp, or later, it is any other read.
  const Tag marked = joined(Tag::of(3, 7, 1).at(9, false));
  EXPECT_FALSE(marked.stands_for_others(Tag::of(3, 7, 1)));
  EXPECT_FALSE(marked.stands_for_others(Tag::of(4, 40, 0)));
  EXPECT_TRUE(marked.is_others(Tag::of(3, 7, 1)));
  EXPECT_EQ(marked.thread(), 40U);
  EXPECT_EQ(marked.site(), 9U);
}

TEST(Tag, IntervalsGoFromOneToFifteenAndPhasesBeginAgain) {
  Tag tag = Tag::of(1, 77, 3);
  for (std::uint32_t i = 1; i < 40; ++i) {
    EXPECT_EQ(tag.interval(), (i - 1) % 15 + 1);
    EXPECT_EQ(tag.is_last_interval(), i % 15 == 0);
    EXPECT_EQ(tag.thread(), 77U);
    tag = tag.next_interval();
    EXPECT_EQ(tag.phase(), 0U);
  }
}

TEST(Tag, OthersAreOtherThreadsOfTheSameInterval) {
  std::mt19937 random(5);
  for (int i = 0; i < 100000; ++i) {
    const Tag a = Tag::of(1 + random() % 15, random() % 1024, random() % 128)
                      .at(random() % 1024, random() % 2 == 0);
    const Tag b = Tag::of(i % 3 == 0 ? a.interval() : 1 + random() % 15,
                          i % 5 == 0 ? a.thread() : random() % 1024, random() % 128);
    EXPECT_EQ(a.is_others(b), a.interval() == b.interval() && a.thread() != b.thread());
  }
  for (std::uint32_t thread = 0; thread < 1024; ++thread) {
    EXPECT_FALSE(Tag{}.is_others(Tag::of(1, thread, 0)));
  }
}

// Two warps of four lanes. A turn is an access by all lanes of a warp or by some, or a barrier.
struct Access {
  std::uint32_t interval, thread, full_before, active;  // lanes that did it together
  bool writes, was_full;
};
class History {
 public:
  explicit History(std::uint32_t seed) : random_(seed) {}

  // Whether two accesses are in order: by a barrier, the same thread, one by all lanes between, or
  // lanes that are together again at the later one.
  static bool is_ordered(const Access& a, const Access& b) {
    if (a.interval != b.interval || a.thread == b.thread) return true;
    if (a.thread / 32 != b.thread / 32) return false;
    return (b.active >> a.thread % 32 & 1) != 0 || a.full_before != b.full_before || a.was_full;
  }

  void run() {
    for (int turn = 0; turn < 12; ++turn) {
      if (pick(8) == 0) {
        ++interval_;
        phases_[0] = phases_[1] = 0;
        continue;
      }
      const std::uint32_t warp = pick(2);
      const bool full = pick(3) == 0;
      const std::uint32_t active = full ? 15 : 1U << pick(4) | 1U << pick(4);
      const bool writes = pick(3) == 0;
      // One lane accesses the word, the others are elsewhere.
      std::uint32_t lane = pick(4);
      while ((active >> lane & 1) == 0) lane = pick(4);
      access(warp, lane, active, full, writes);
    }
  }
  int told = 0, missed = 0, wrong = 0;

 private:
  std::uint32_t pick(std::uint32_t below) { return static_cast<std::uint32_t>(random_() % below); }

  void access(std::uint32_t warp, std::uint32_t lane, std::uint32_t active, bool full,
              bool writes) {
    const Access now{interval_, warp * 32 + lane, fulls_[warp], active, writes, full};
    bool races = false;
    for (const Access& each : all_) {
      races = races || ((each.writes || writes) && !is_ordered(each, now));
    }
    all_.push_back(now);
    const Tag tag = Tag::of(interval_, now.thread, phases_[warp]);
    const auto conflicts = [&](Tag earlier) {
      return earlier.is_others(tag) && !earlier.is_ordered(tag, active);
    };
    const bool tells = conflicts(write_) || (writes && conflicts(read_));
    (writes ? write_ : read_) = tag.at(1, false);
    if (full) {
      ++phases_[warp];
      ++fulls_[warp];
    }
    told += tells ? 1 : 0;
    missed += races && !tells ? 1 : 0;
    wrong += tells && !races ? 1 : 0;
  }

  std::mt19937 random_;
  std::uint32_t interval_ = 1;
  std::uint32_t phases_[2] = {}, fulls_[2] = {};
  std::vector<Access> all_;
  Tag read_, write_;
};

TEST(Tag, NothingIsToldThatDoesNotRace) {
  int told = 0, missed = 0;
  for (std::uint32_t seed = 0; seed < 20000; ++seed) {
    History history(seed);
    history.run();
    EXPECT_EQ(history.wrong, 0) << "seed " << seed;
    told += history.told;
    missed += history.missed;
  }
  // Of several readers, and of several writers, the last is known.
  EXPECT_GT(told, 2 * missed);
}

}  // namespace
}  // namespace redflag::gpu::compact
