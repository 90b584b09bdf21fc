#include "core/explain/explainer.h"

#include <gtest/gtest.h>

#include "core/detect/slimfast/slimfast.h"
#include "core/detect/testing.h"

namespace redflag {
namespace {

using namespace make;

constexpr std::uint64_t kX = 0x1000;
constexpr std::uint64_t kFlag = 0x2000;

Event at(std::uint32_t source, Event e) {
  e.source = SourceId{source};
  return e;
}

// What a person is told about a trace.
std::vector<Finding> explain(const std::vector<Event>& events, const Sources& sources = {}) {
  Bench<slimfast::SlimFast> bench;
  bench.run(events);
  RaceCollector collector;
  for (const Race& r : bench.races()) collector.on_race(r);
  Explainer explainer(collector.races());
  explainer.on_events(events, EventIndex{0}, sources);
  EXPECT_TRUE(explainer.done());
  return explainer.finish();
}

Finding only(const std::vector<Event>& events, const Sources& sources = {}) {
  const std::vector<Finding> findings = explain(events, sources);
  EXPECT_EQ(findings.size(), 1U);
  return findings.empty() ? Finding{} : findings.front();
}

TEST(Explainer, FindsTheFirstAccessItself) {
  Sources sources;
  sources.define(SourceId{1}, {"main", "a.cpp", 10, 0});
  sources.define(SourceId{2}, {"update", "a.cpp", 20, 3}, SourceId{1});
  sources.name_thread(ThreadId{1}, "worker");
  sources.add_region({Addr{kX}, 8, RegionKind::kGlobal, "total", kNoSource});
  const Finding f =
      only({fork(0, 1), write(0, kX + 8), at(2, write(0, kX, 4)), read(1, kX, 2)}, sources);
  EXPECT_EQ(f.first.access.index, EventIndex{2});
  EXPECT_EQ(f.first.access.size, 4U);
  ASSERT_EQ(f.first.stack.size(), 2U);
  EXPECT_EQ(f.first.stack[0].function, "update");
  EXPECT_EQ(f.first.stack[1].function, "main");
  EXPECT_EQ(f.first.thread_name, "T0");
  EXPECT_EQ(f.second.thread_name, "worker");
  EXPECT_EQ(f.memory.name, "total");
  EXPECT_EQ(f.rule, Rule::kWriteRead);
  EXPECT_EQ(f.missing, Missing::kAnyOrder);
}

TEST(Explainer, NamesALockHeldOnOneSideOnly) {
  const Finding f = only({fork(0, 1), acquire(0, 7), write(0, kX), release(0, 7), write(1, kX)});
  EXPECT_EQ(f.missing, Missing::kLockOnOneSide);
  EXPECT_NE(f.missing_text.find("T0 holds lock 0x7"), std::string::npos) << f.missing_text;
  EXPECT_NE(f.advice.find("T1"), std::string::npos) << f.advice;
  ASSERT_EQ(f.first.locks.size(), 1U);
  EXPECT_TRUE(f.second.locks.empty());
}

TEST(Explainer, NamesDifferentLocks) {
  const Finding f =
      only({fork(0, 1), acquire(0, 7), write(0, kX), release(0, 7), acquire(1, 8), write(1, kX)});
  EXPECT_EQ(f.missing, Missing::kCommonLock);
}

TEST(Explainer, NamesAWriteUnderAReadersLock) {
  const Finding f = only({fork(0, 1), acquire_shared(0, 7), read(0, kX), release_shared(0, 7),
                          acquire_shared(1, 7), write(1, kX)});
  EXPECT_EQ(f.missing, Missing::kExclusiveLock);
}

TEST(Explainer, NamesTheWeakSideOfAMessage) {
  const Finding store_side = only({fork(0, 1), write(0, kX), store(0, kFlag, Order::kRelaxed),
                                   load(1, kFlag, Order::kAcquire), read(1, kX)});
  EXPECT_EQ(store_side.missing, Missing::kReleaseOrder);
  const Finding load_side = only({fork(0, 1), write(0, kX), store(0, kFlag, Order::kRelease),
                                  load(1, kFlag, Order::kRelaxed), read(1, kX)});
  EXPECT_EQ(load_side.missing, Missing::kAcquireOrder);
  const Finding fenced =
      only({fork(0, 1), write(0, kX), fence(0, Order::kRelease), store(0, kFlag, Order::kRelaxed),
            load(1, kFlag, Order::kRelaxed), read(1, kX)});
  EXPECT_EQ(fenced.missing, Missing::kAcquireOrder) << "the fence released";
}

TEST(Explainer, NamesPlainAgainstAtomicAndFree) {
  EXPECT_EQ(only({fork(0, 1), store(0, kX, Order::kRelease), write(1, kX)}).missing,
            Missing::kAtomicAccess);
  EXPECT_EQ(only({fork(0, 1), read(1, kX), free(0, kX, 8)}).missing, Missing::kJoinBeforeReuse);
}

TEST(Explainer, DrawsTheStepsAndTheArrowsThatThereWere) {
  const Finding f = only({fork(0, 1), acquire(0, 7), write(0, kX), release(0, 7), acquire(1, 8),
                          release(1, 8), write(1, kX)});
  ASSERT_GE(f.steps.size(), 6U);
  EXPECT_TRUE(std::is_sorted(f.steps.begin(), f.steps.end(),
                             [](const Step& a, const Step& b) { return a.index < b.index; }));
  const auto role = [&f](Step::Role r) {
    return std::count_if(f.steps.begin(), f.steps.end(),
                         [r](const Step& s) { return s.role == r; });
  };
  EXPECT_EQ(role(Step::Role::kFirst), 1);
  EXPECT_EQ(role(Step::Role::kSecond), 1);
  ASSERT_EQ(f.arrows.size(), 1U) << "the fork, and no other";
  EXPECT_EQ(f.steps[f.arrows[0].from].what, "fork T1");
  EXPECT_EQ(f.steps[f.arrows[0].to].what, "starts");
}

TEST(Explainer, MemoryThatBecameNewInBetweenIsNotIt) {
  const Finding f = only(
      {fork(0, 1), fork(0, 2), write(1, kX), alloc(1, kX, 8), at(5, write(1, kX)), write(2, kX)});
  EXPECT_EQ(f.first.access.index, EventIndex{4});
}

TEST(RaceCollector, KeepsTheFirstOfEachPlaceAndCountsTheRest) {
  RaceCollector collector;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    Race r;
    r.second.source = SourceId{1};
    r.second.index = EventIndex{i};
    r.first.clock = i;
    collector.on_race(r);
  }
  const std::vector<CollectedRace> kept = collector.races();
  EXPECT_EQ(kept.size(), RaceCollector::kPerGroup);
  std::uint64_t total = 0;
  for (const CollectedRace& r : kept) total += r.count;
  EXPECT_EQ(total, 1000U);
  EXPECT_EQ(kept.front().race.second.index, EventIndex{0});
}

TEST(RaceCollector, MergedShardsAreWhatOneWouldKeep) {
  RaceCollector whole;
  RaceCollector parts[3];
  for (std::uint64_t i = 0; i < 5000; ++i) {
    Race r;
    r.second.source = SourceId{static_cast<std::uint32_t>(1 + i % 3)};
    r.second.index = EventIndex{i / 2};
    r.addr = Addr{i % 7 * 4096};
    r.first.thread = ThreadId{static_cast<std::uint32_t>(i % 5)};
    r.first.clock = i % 97;
    whole.on_race(r);
    parts[i % 7 % 3].on_race(r);
  }
  std::vector<CollectedRace> all;
  for (const RaceCollector& part : parts) {
    const std::vector<CollectedRace> races = part.races();
    all.insert(all.end(), races.begin(), races.end());
  }
  const std::vector<CollectedRace> merged = RaceCollector::merge(all, 0).races();
  const std::vector<CollectedRace> expected = whole.races();
  ASSERT_EQ(merged.size(), expected.size());
  for (std::size_t i = 0; i < merged.size(); ++i) {
    EXPECT_EQ(merged[i].race, expected[i].race) << i;
    EXPECT_EQ(merged[i].count, expected[i].count) << i;
  }
}

}  // namespace
}  // namespace redflag
