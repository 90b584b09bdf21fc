// SlimFast's rules on the dissertation's own examples, and the parts that the paper leaves out.
#include "core/detect/slimfast/slimfast.h"

#include "core/detect/testing.h"
#include "core/generate/workload.h"

namespace redflag::slimfast {
namespace {

using namespace make;

constexpr std::uint64_t kX = 0x1000;
constexpr std::uint64_t kY = 0x1008;
constexpr std::uint64_t kZ = 0x1010;
constexpr std::uint64_t kLock = 7;

struct SlimFastTest : testing::Test {
  std::uint64_t count(SlimRule rule) { return bench.detector().count(rule); }
  Bench<SlimFast> bench;
};

// Figure 3.6: within an epoch, all writes of a thread have the same history.
TEST_F(SlimFastTest, WritesOfAnEpochShareOneHistory) {
  bench.run({acquire(0, kLock), write(0, kX), write(0, kY), release(0, kLock), write(0, kX),
             write(0, kY), write(0, kY)});
  EXPECT_EQ(count(SlimRule::kWriteExcl), 4U);
  EXPECT_EQ(count(SlimRule::kWriteSameEpoch), 1U);
  EXPECT_EQ(stat(bench.detector(), "FT:SF metadata allocations"), 1.0)
      << "two locations, two epochs";
}

// Figure 3.10: S_t is keyed by the write epoch, and emptied when the epoch ends.
TEST_F(SlimFastTest, ReadsReuseTheSetOfTheEpoch) {
  bench.run({acquire(1, kLock), write(1, kX), release(1, kLock), write(1, kY), acquire(1, kLock),
             read(1, kX)});
  EXPECT_EQ(count(SlimRule::kReadExclAlloc), 1U);
  bench.run({read(1, kY)});
  EXPECT_EQ(count(SlimRule::kReadOwnWrite), 1U) << "written in this epoch";
  bench.run({release(1, kLock), read(1, kX), read(1, kY)});
  EXPECT_EQ(count(SlimRule::kReadExclAlloc), 3U) << "two write epochs, new read epoch";
  bench.run({read(1, kX), read(1, kY)});
  EXPECT_EQ(count(SlimRule::kReadSameEpoch), 2U);
  bench.run({read(1, kZ), read(1, kZ + 8)});
  EXPECT_EQ(count(SlimRule::kReadExclAlloc), 4U) << "never written: one history";
  EXPECT_EQ(count(SlimRule::kReadExclReuse), 1U) << "shared by the second";
}

// Figure 3.9: inflation is shared per thread, so two of three equal histories are one.
TEST_F(SlimFastTest, InflationReusesTheThreadsOwnSet) {
  bench.run({fork(0, 1), read(0, kX), read(1, kY), read(1, kX), read(0, kY)});
  EXPECT_EQ(count(SlimRule::kReadInflAlloc), 2U);
  bench.run({read(0, kZ)});
  EXPECT_EQ(count(SlimRule::kReadExclReuse), 1U);
  bench.run({read(1, kZ)});
  EXPECT_EQ(count(SlimRule::kReadInflReuse), 1U);
  EXPECT_EQ(count(SlimRule::kReadInflAlloc), 2U);
}

// Figure 3.8: the Next map finds the history that differs in this thread's read only.
TEST_F(SlimFastTest, NextMapSharesUpdatesOfReadSharedHistories) {
  bench.run({fork(0, 1), fork(0, 2), read(1, kX), read(1, kY), read(2, kX), read(2, kY)});
  ASSERT_EQ(count(SlimRule::kReadInflAlloc), 1U);
  ASSERT_EQ(count(SlimRule::kReadInflReuse), 1U) << "x and y share their history now";
  bench.run({read(0, kX)});
  EXPECT_EQ(count(SlimRule::kReadSharedAlloc), 1U);
  bench.run({read(0, kY)});
  EXPECT_EQ(count(SlimRule::kReadSharedAlloc), 1U);
  EXPECT_EQ(count(SlimRule::kReadSharedReuse), 1U);
  bench.run({read(0, kX), read(0, kY)});
  EXPECT_EQ(count(SlimRule::kReadSharedSameEpoch), 2U);
  bench.run({release(0, kLock), read(0, kX), read(0, kY)});
  EXPECT_EQ(count(SlimRule::kReadSharedAlloc), 2U) << "a new epoch needs a new history, once";
  EXPECT_EQ(count(SlimRule::kReadSharedReuse), 2U);
}

TEST_F(SlimFastTest, AWriteAfterSharedReadsIsCheckedAgainstAllOfThem) {
  bench.run({fork(0, 1), fork(0, 2), read(1, kX), read(2, kX), join(0, 1), write(0, kX)});
  EXPECT_EQ(count(SlimRule::kWriteShared), 1U);
  ASSERT_EQ(bench.races().size(), 1U);
  EXPECT_EQ(bench.races()[0].rule, Rule::kReadWrite);
  EXPECT_EQ(bench.races()[0].first.thread, ThreadId{2});
  EXPECT_EQ(bench.races()[0].second.index, EventIndex{5});
}

TEST_F(SlimFastTest, ReportsBothSidesOfEachClass) {
  bench.run({fork(0, 1), write(0, kX), write(1, kX), write(0, kY), read(1, kY), read(0, kZ),
             write(1, kZ)});
  ASSERT_EQ(bench.races().size(), 3U);
  EXPECT_EQ(bench.races()[0].rule, Rule::kWriteWrite);
  EXPECT_EQ(bench.races()[1].rule, Rule::kWriteRead);
  EXPECT_EQ(bench.races()[2].rule, Rule::kReadWrite);
  EXPECT_EQ(bench.races()[2].first.kind, EventKind::kRead);
  EXPECT_EQ(bench.races()[2].addr, Addr{kZ});
  EXPECT_EQ(bench.races()[2].size, 8U);
}

TEST_F(SlimFastTest, BytesOfAGranuleHaveHistoriesOfTheirOwn) {
  bench.run({fork(0, 1), write(0, kX, 4), write(1, kX + 4, 4), read(0, kX + 1, 2)});
  EXPECT_TRUE(bench.races().empty()) << "neighbours";
  bench.run({write(1, kX + 3, 3)});
  ASSERT_EQ(bench.races().size(), 1U);
  EXPECT_EQ(bench.races()[0].addr, Addr{kX + 3});
  EXPECT_EQ(bench.races()[0].size, 1U);
}

TEST_F(SlimFastTest, OneLongAccessIsOneRaceAndNeverCrossesAPage) {
  bench.run({fork(0, 1), write(0, 0x1fe0, 64), write(1, 0x1fe0, 64)});
  ASSERT_EQ(bench.races().size(), 2U);
  EXPECT_EQ(bench.races()[0].addr, Addr{0x1fe0});
  EXPECT_EQ(bench.races()[0].size, 32U);
  EXPECT_EQ(bench.races()[1].addr, Addr{0x2000});
  EXPECT_EQ(bench.races()[1].second.index, bench.races()[0].second.index);
}

TEST_F(SlimFastTest, AtomicsDoNotRaceWithEachOtherButWithPlainAccesses) {
  bench.run({fork(0, 1), store(0, kX, Order::kRelaxed), store(1, kX, Order::kRelaxed),
             load(0, kX, Order::kRelaxed)});
  EXPECT_TRUE(bench.races().empty());
  bench.run({read(0, kX)});
  ASSERT_EQ(bench.races().size(), 1U);
  EXPECT_EQ(bench.races()[0].rule, Rule::kAtomicPlain);
}

TEST_F(SlimFastTest, FreedMemoryRacesAndNewMemoryDoesNot) {
  bench.run({fork(0, 1), write(1, kX), free(0, kX, 16)});
  ASSERT_EQ(bench.races().size(), 1U);
  EXPECT_EQ(bench.races()[0].rule, Rule::kFree);
  bench.run({alloc(1, kX, 16), write(1, kX)});
  EXPECT_EQ(bench.races().size(), 1U);
}

TEST_F(SlimFastTest, ManyWritersReadInOneEpochOverflowTheSetWithoutHarm) {
  std::vector<Event> events;
  for (std::uint32_t i = 0; i < 30; ++i) {
    events.push_back(write(0, kX + 8 * i));
    events.push_back(release(0, kLock));
  }
  events.push_back(fork(0, 1));
  for (int pass = 0; pass < 2; ++pass) {
    for (std::uint32_t i = 0; i < 30; ++i) events.push_back(read(1, kX + 8 * i));
  }
  for (std::uint32_t i = 0; i < 30; ++i) events.push_back(write(0, kX + 8 * i));
  bench.run(events);
  EXPECT_EQ(bench.races().size(), 30U);
  EXPECT_GT(stat(bench.detector(), "S_t overflows"), 0);
  EXPECT_EQ(count(SlimRule::kReadSameEpoch), 30U) << "known also in earlier lines of the epoch";
}

TEST(SlimFastMemory, SweepsKeepMetadataFlat) {
  WorkloadOptions options;
  options.profile = Profile::kLowRedundancy;
  options.events = 3000000;
  options.working_set = 256 << 10;
  Workload workload(options);
  Bench<SlimFast> bench({.threads_appear = false, .sweep_bytes = 64 << 10});
  std::vector<Event> events(100000);
  std::size_t early = 0;
  std::size_t late = 0;
  for (int batch = 0;; ++batch) {
    events.resize(100000);
    events.resize(workload.fill(events));
    if (events.empty()) break;
    for (Event& e : events) {
      if (is_access(e.kind))
        e.size = 4;  // whole granules would be kept as pairs, which need no sweep
    }
    bench.run(events);
    std::size_t& peak = batch < 10 ? early : late;
    peak = std::max(peak, bench.detector().metadata_bytes());
  }
  EXPECT_TRUE(bench.races().empty());
  EXPECT_GT(bench.detector().sweeps(), 10U);
  EXPECT_LT(static_cast<double>(late), 1.1 * static_cast<double>(early));
}

// Fine-grained locks make pages into pairs; when the program turns to array code, they become
// handles again, and no access is lost on either way.
TEST(SlimFastPairs, PagesFollowTheProgram) {
  Bench<SlimFast> bench;
  std::vector<Event> events{fork(0, 1), fork(0, 2)};
  constexpr std::uint64_t kWords = 1024;
  for (std::uint64_t round = 0; round < 12; ++round) {
    for (std::uint64_t i = 0; i < kWords; ++i) {
      const auto t = static_cast<std::uint32_t>(1 + (i * 7 + round) % 2);
      events.insert(events.end(), {acquire(t, kLock), read(t, kX + 8 * i),
                                   write(t, kX + 8 * (i * 31 % kWords)), release(t, kLock)});
    }
  }
  bench.run(events);
  EXPECT_TRUE(bench.races().empty());
  EXPECT_GT(stat(bench.detector(), "pages kept as pairs"), 0);
  EXPECT_GT(bench.detector().count(SlimRule::kReadPaired), kWords);

  // T2 knows all that happened so far. T1 now writes most words, again and again; every 16th keeps
  // its history.
  events = {acquire(2, kLock), release(2, kLock), acquire(1, kLock)};
  for (std::uint64_t round = 0; round < 200; ++round) {
    for (std::uint64_t i = 0; i < kWords; ++i) {
      if (i % 16 != 5) events.push_back(write(1, kX + 8 * i));
    }
  }
  events.push_back(release(1, kLock));
  bench.run(events);
  EXPECT_TRUE(bench.races().empty());
  EXPECT_EQ(stat(bench.detector(), "pages kept as pairs"), 0);
  events.clear();
  for (std::uint64_t i = 0; i < kWords; ++i) events.push_back(read(2, kX + 8 * i));
  bench.run(events);
  EXPECT_EQ(bench.races().size(), kWords / 16 * 15) << "T2 did not take the lock again";
}

TEST(SlimFastPairs, EveryClassOfRaceIsFoundInAPageOfPairs) {
  Bench<SlimFast> bench;
  std::vector<Event> events{fork(0, 1), fork(0, 2)};
  for (std::uint64_t i = 0; i < 8192; ++i) {
    const auto t = static_cast<std::uint32_t>(1 + i % 2);
    events.insert(events.end(), {acquire(t, kLock), read(t, kX + 8 * (i % 256)),
                                 write(t, kX + 8 * (i * 3 % 256)), release(t, kLock)});
  }
  // Each at a location of its own, so that each is that location's first race.
  events.insert(events.end(), {acquire(1, kLock), write(1, kX), write(1, kX + 8), read(1, kX + 16),
                               read(1, kX + 24), write(2, kX), read(2, kX + 8), write(2, kX + 16)});
  bench.run(events);
  ASSERT_GT(stat(bench.detector(), "pages kept as pairs"), 0);
  ASSERT_EQ(bench.races().size(), 3U);
  EXPECT_EQ(bench.races()[0].rule, Rule::kWriteWrite);
  EXPECT_EQ(bench.races()[1].rule, Rule::kWriteRead);
  EXPECT_EQ(bench.races()[2].rule, Rule::kReadWrite);
  bench.run({release(1, kLock), acquire(0, kLock), read(2, kX + 24), write(0, kX + 24)});
  ASSERT_EQ(bench.races().size(), 4U) << "the second reader is kept too";
  EXPECT_EQ(bench.races()[3].first.thread, ThreadId{2});
  // After a location's first race, who has the last reader behind it is not compared with the
  // writer: the same as for handles, so that what is reported does not depend on how a page is
  // kept.
  bench.run(
      {write(1, kX + 48), read(2, kX + 48), release(2, 99), acquire(0, 99), read(0, kX + 48)});
  EXPECT_EQ(bench.races().size(), 5U);
  bench.run({alloc(2, kX, 4096), write(2, kX + 40)});
  EXPECT_EQ(bench.races().size(), 5U);
}

// A program that moves on, phase by phase, to ever new memory: what all threads have behind them is
// forgotten.
TEST(SlimFastMemory, OldPagesAreForgotten) {
  Bench<SlimFast> bench({.threads_appear = false, .sweep_bytes = 16 << 10});
  std::size_t peak = 0;
  for (std::uint64_t phase = 0; phase < 400; ++phase) {
    std::vector<Event> events{fork(0, static_cast<std::uint32_t>(phase + 1))};
    for (std::uint64_t i = 0; i < 8192; ++i) {
      events.push_back(write(static_cast<std::uint32_t>(phase + 1), (phase << 20) + 8 * i));
    }
    events.push_back(join(0, static_cast<std::uint32_t>(phase + 1)));
    bench.run(events);
    peak = std::max(peak, bench.detector().metadata_bytes());
  }
  EXPECT_LT(peak, std::size_t{4} << 20) << "all of it would be 12.5 MiB";
}

// Large blocks, freed or filled at once, must not cost a cell per word.
TEST(SlimFastMemory, WholePagesAreOneCell) {
  constexpr std::uint64_t kBlock = 0x100000000;
  constexpr std::uint32_t kBytes = 1U << 30;
  Bench<SlimFast> bench({.threads_appear = false});
  bench.run({fork(0, 1), fork(0, 2), free(1, kBlock, kBytes)});
  EXPECT_LT(bench.detector().metadata_bytes(), std::size_t{64} << 20);
  // A part of it becomes a page again, with the same history.
  bench.run({write(2, kBlock + 12345, 1), read(1, kBlock + 5 * 4096 + 8)});
  ASSERT_EQ(bench.races().size(), 1U);
  EXPECT_EQ(bench.races()[0].first.thread, ThreadId{1});
  EXPECT_EQ(bench.races()[0].addr, Addr{kBlock + 12345});
  bench.run({write(2, kBlock + 8 * 4096, 4096)});
  ASSERT_EQ(bench.races().size(), 2U);
  EXPECT_EQ(bench.races()[1].size, 4096U);
  bench.run({alloc(2, kBlock, kBytes), write(2, kBlock + 12345, 1), write(2, kBlock + 100000, 8)});
  EXPECT_EQ(bench.races().size(), 2U) << "new memory";
}

TEST_F(SlimFastTest, AWholePageReadKeepsHistoriesThatDiffer) {
  bench.run({fork(0, 1), fork(0, 2), fork(0, 3), write(1, kX), release(1, kLock), acquire(2, kLock),
             read(2, kX, 4096), read(3, kX + 40)});
  EXPECT_TRUE(bench.races().empty()) << "nobody wrote that word";
  bench.run({read(3, kX)});
  EXPECT_EQ(bench.races().size(), 1U);
}

TEST(SlimFastMemory, ForgettingNeedsForkedThreads) {
  const std::vector<Event> work = [] {
    std::vector<Event> events;
    for (std::uint64_t i = 0; i < 20000; ++i) {
      events.push_back(write(0, 0x10000 + 8 * (i % 512)));
      events.push_back(release(0, kLock));
    }
    return events;
  }();
  Bench<SlimFast> careful({.threads_appear = true, .sweep_bytes = 1});
  careful.run(work).run({write(9, 0x10000)});
  EXPECT_EQ(careful.races().size(), 1U);
  EXPECT_TRUE(careful.detector().broken_promise().empty());

  Bench<SlimFast> trusting({.threads_appear = false, .sweep_bytes = 1});
  trusting.run(work).run({write(9, 0x10000)});
  EXPECT_FALSE(trusting.detector().broken_promise().empty())
      << "it must say that a race may be lost";
}

TEST(SlimFastRules, TableIsInOrder) {
  for (std::size_t i = 0; i < kSlimRules.size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(kSlimRules[i].rule), i);
  }
}

}  // namespace
}  // namespace redflag::slimfast
