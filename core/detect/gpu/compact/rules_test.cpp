// The rules against a history that forgets nothing: random accesses of a few threads to one unit.
//
// Blocks have barriers, and nothing else orders. Nothing may be reported that does not race; with two
// threads nothing may be missed that races.
#include "core/detect/gpu/compact/rules.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace redflag::gpu::compact {
namespace {

class World {
 public:
  World(std::uint32_t seed, std::uint32_t blocks, std::uint32_t lanes, bool bytes, bool atomics)
      : random_(seed), blocks_(blocks), lanes_(lanes), bytes_(bytes), atomics_(atomics) {
    times_.assign(blocks, 1);
  }
  std::uint32_t draw(std::uint32_t below) {
    return std::uniform_int_distribution<std::uint32_t>(0, below - 1)(random_);
  }
  Access next() {
    const std::uint32_t block = draw(blocks_);
    if (draw(4) == 0) ++times_[block];  // the block passes a barrier
    Access a;
    a.at = {.block = block, .warp = draw(lanes_), .lane = 0, .time = times_[block]};
    a.site = 1;
    a.bytes = bytes_ ? 1 + draw(15) : 15;
    a.writes = draw(3) == 0;
    a.is_atomic = atomics_ && draw(3) == 0;
    a.block_scope = a.is_atomic && draw(2) == 0;
    a.barrier = times_[block];
    a.has_signals = false;
    return a;
  }
  // Whether what that thread did then happens before what this one does.
  static bool is_ordered(const Epoch& e, const Access& a) {
    return e.block == a.at.block && (e.warp == a.at.warp || e.time < a.barrier);
  }
  static bool races(const Access& before, const Access& a) {
    if (!before.writes && !a.writes) return false;
    if ((before.bytes & a.bytes) == 0 || is_ordered(before.at, a)) return false;
    if (!before.is_atomic || !a.is_atomic) return true;
    return before.at.block != a.at.block && (before.block_scope || a.block_scope);
  }

 private:
  std::mt19937 random_;
  std::uint32_t blocks_, lanes_;
  bool bytes_, atomics_;
  std::vector<std::uint32_t> times_;
};

struct Counts {
  int races = 0, reported = 0;
};
// `complete`: nothing may be missed either.
Counts hold(std::uint32_t seed, std::uint32_t blocks, std::uint32_t lanes, bool bytes, bool atomics,
            bool complete) {
  World world(seed, blocks, lanes, bytes, atomics);
  std::vector<Access> past;
  Cell cell;
  Counts counts;
  for (int i = 0; i < 24; ++i) {
    const Access a = world.next();
    bool races = false;
    for (const Access& before : past) races |= World::races(before, a);
    const Decision decision =
        decide(cell, a, [&](const Epoch& e) { return World::is_ordered(e, a); });
    const bool reported = decision.verdict != Verdict::kFine;
    const std::string where = "seed " + std::to_string(seed) + ", access " + std::to_string(i);
    EXPECT_TRUE(races || !reported) << where << ": reported without a race";
    if (complete && counts.races == 0) {
      EXPECT_EQ(races, reported) << where;
    }
    counts.races += races;
    counts.reported += reported;
    cell = decision.next;
    past.push_back(a);
    if (::testing::Test::HasFailure()) break;
  }
  return counts;
}

TEST(CompactRules, NoReportWithoutARace) {
  Counts all;
  for (std::uint32_t seed = 1; seed <= 20'000 && !HasFailure(); ++seed) {
    const Counts one = hold(seed, 1 + seed % 3, 1 + seed % 4, seed % 2 == 0, seed % 5 < 2, false);
    all.races += one.races;
    all.reported += one.reported;
  }
  EXPECT_GT(all.reported, all.races / 2);
}

TEST(CompactRules, TwoThreadsMissNothing) {
  for (std::uint32_t seed = 1; seed <= 20'000 && !HasFailure(); ++seed) {
    const bool apart = seed % 2 == 0;
    hold(seed, apart ? 2 : 1, apart ? 1 : 2, false, false, true);
  }
}

// Somebody else has read: which one is not kept, but that is enough when the writer is the one kept.
TEST(CompactRules, SeveralReaders) {
  const auto before_barrier = [](const Epoch& e) { return e.warp == 0; };
  Access read{.at = {0, 0, 0, 5}, .site = 1, .barrier = 5, .has_signals = false};
  Cell cell = decide({}, read, before_barrier).next;
  Access other = read;
  other.at.warp = 1;
  cell = decide(cell, other, [](const Epoch& e) { return e.warp == 1; }).next;
  EXPECT_EQ(cell.read.kind(), Kind::kBlockReaders);
  Access write = read;
  write.writes = true;
  EXPECT_EQ(decide(cell, write, before_barrier).verdict, Verdict::kWithRead);
  write.meet = 6;  // lanes have met since: who they were is not known
  EXPECT_EQ(decide(cell, write, before_barrier).verdict, Verdict::kFine);
  write.meet = 0;
  write.barrier = 6;
  EXPECT_EQ(decide(cell, write, [](const Epoch&) { return true; }).verdict, Verdict::kFine);
}

TEST(CompactRules, AtomicsByScope) {
  const auto none = [](const Epoch&) { return false; };
  Access add{.at = {0, 0, 0, 1}, .site = 1, .writes = true, .is_atomic = true, .block_scope = true};
  const Cell cell = decide({}, add, none).next;
  Access there = add;
  there.at.block = 1;
  EXPECT_EQ(decide(cell, there, none).verdict, Verdict::kScope);
  there.block_scope = false;
  EXPECT_EQ(decide(cell, there, none).verdict, Verdict::kScope);
  Access here = add;
  here.at.warp = 3;
  EXPECT_EQ(decide(cell, here, none).verdict, Verdict::kFine);
  here.is_atomic = here.block_scope = false;
  EXPECT_EQ(decide(cell, here, none).verdict, Verdict::kWithWrite);
}

// Of a copy the caller is asked whether it is complete, also by the thread that started it.
TEST(CompactRules, CopiesAreNotTheirThreadsPast) {
  Access copy;
  copy.at = {.block = 1, .warp = 2, .lane = 3, .time = 4};
  copy.writes = copy.is_copy = true;
  Access read = copy;
  read.writes = read.is_copy = false;
  Epoch asked;
  const Cell cell = decide(Cell{}, copy, [](const Epoch&) { return true; }).next;
  const auto answer = [&](bool complete) {
    return decide(cell, read,
                  [&](const Epoch& e) {
                    asked = e;
                    return !e.is_copy || complete;
                  })
        .verdict;
  };
  EXPECT_EQ(answer(false), Verdict::kWithWrite);
  EXPECT_TRUE(asked.is_copy);
  EXPECT_EQ(asked.lane, 3U);
  EXPECT_EQ(answer(true), Verdict::kFine);
}

// What is only about which access is remembered is not searched for, and of atomics of other blocks not asked.
TEST(CompactRules, RememberingAsksLess) {
  int asked = 0, asked_surely = 0;
  const auto ordered = [&](const Epoch&) { return ++asked, true; };
  const auto surely = [&](const Epoch&) { return ++asked_surely, false; };
  Access read;
  read.at = {.block = 1, .warp = 2, .lane = 3, .time = 4};
  const Cell cell = decide(Cell{}, read, ordered, surely).next;
  Access other = read;
  other.at.block = 2;
  EXPECT_EQ(decide(cell, other, ordered, surely).next.read.kind(), Kind::kGridReaders);
  EXPECT_EQ(asked, 0);
  EXPECT_EQ(asked_surely, 1);

  read.is_atomic = other.is_atomic = other.writes = true;
  const Cell polled = decide(Cell{}, read, ordered, surely).next;
  const Cell stored = decide(polled, other, ordered, surely).next;
  EXPECT_EQ(stored.read, polled.read);
  EXPECT_EQ(asked, 0);
  EXPECT_EQ(asked_surely, 1);
  // A plain write asks in earnest.
  other.is_atomic = false;
  EXPECT_EQ(decide(polled, other, ordered, surely).verdict, Verdict::kFine);
  EXPECT_EQ(asked, 1);
}

}  // namespace
}  // namespace redflag::gpu::compact
