#include "core/trace/check.h"

#include <gtest/gtest.h>

#include "core/model/make_event.h"
#include "core/trace/validate.h"

namespace redflag {
namespace {

using namespace redflag::make;

struct Checked {
  std::vector<StreamReport> reports;
  std::vector<std::uint64_t> counts;
};

Checked check(const std::vector<Event>& events, StreamChecker::Options options = {},
              bool at_end = false) {
  Sources sources;
  sources.define(SourceId{1}, {"f", "f.c", 1, 0});
  sources.name_thread(ThreadId{1}, "worker");
  sources.name_lock(LockId{0x10}, "m");
  Checked result;
  StreamChecker checker(options,
                        [&](const StreamReport& report) { result.reports.push_back(report); });
  // In two batches: no rule may depend on where a batch ends.
  const std::span<const Event> all(events);
  checker.add(all.first(events.size() / 2), sources);
  checker.add(all.subspan(events.size() / 2), sources);
  if (at_end) checker.finish(sources);
  EXPECT_EQ(checker.events(), events.size());
  for (const StreamProblemInfo& row : kStreamProblems)
    result.counts.push_back(checker.count(row.problem));
  return result;
}

// The last event, and nothing else, breaks this rule.
void expect_last(StreamProblem problem, const std::vector<Event>& events,
                 StreamChecker::Options options = {}) {
  SCOPED_TRACE(info(problem).id);
  const Checked checked = check(events, options);
  ASSERT_EQ(checked.reports.size(), 1u);
  EXPECT_EQ(info(checked.reports[0].problem).id, info(problem).id);
  EXPECT_EQ(checked.reports[0].index, EventIndex{events.size() - 1});
}

void expect_clean(const std::vector<Event>& events, StreamChecker::Options options = {}) {
  const Checked checked = check(events, options);
  for (const StreamReport& report : checked.reports) ADD_FAILURE() << report.message;
}

constexpr std::uint64_t kM = 0x10;

TEST(StreamChecker, ReleaseNotHeld) {
  expect_last(StreamProblem::kReleaseNotHeld, {release(0, kM)});
  expect_last(StreamProblem::kReleaseNotHeld, {fork(0, 1), acquire(0, kM), release(1, kM)});
  expect_last(StreamProblem::kReleaseNotHeld, {acquire(0, kM), release(0, kM), release(0, kM)});
}

TEST(StreamChecker, ReleaseOtherMode) {
  expect_last(StreamProblem::kReleaseOtherMode, {acquire(0, kM), release_shared(0, kM)});
  expect_last(StreamProblem::kReleaseOtherMode, {acquire_shared(0, kM), release(0, kM)});
  // Taken as a release all the same.
  EXPECT_EQ(
      check({fork(0, 1), acquire(0, kM), release_shared(0, kM), acquire(1, kM)}).reports.size(),
      1u);
}

TEST(StreamChecker, AcquireHeld) {
  expect_last(StreamProblem::kAcquireHeld, {fork(0, 1), acquire(0, kM), acquire(1, kM)});
  expect_last(StreamProblem::kAcquireHeld, {fork(0, 1), acquire_shared(0, kM), acquire(1, kM)});
  EXPECT_EQ(check({fork(0, 1), acquire(1, kM), acquire(0, kM)}).reports.at(0).message,
            "event 2: T0 acquire 0x10: takes a lock exclusively that another thread holds: 0x10 "
            "(m) is held by T1 (worker)");
}

TEST(StreamChecker, AcquireSharedHeld) {
  expect_last(StreamProblem::kAcquireSharedHeld,
              {fork(0, 1), acquire(0, kM), acquire_shared(1, kM)});
}

TEST(StreamChecker, LegalLocking) {
  expect_clean({acquire(0, kM), acquire(0, kM), release(0, kM), release(0, kM)});
  expect_clean({fork(0, 1), acquire_shared(0, kM), acquire_shared(1, kM), acquire_shared(1, kM),
                release_shared(1, kM), release_shared(0, kM), release_shared(1, kM), acquire(0, kM),
                release(0, kM)});
  expect_clean({acquire(0, kM), acquire_shared(0, kM), release(0, kM), release_shared(0, kM)});
}

TEST(StreamChecker, ThreadNotStarted) {
  expect_last(StreamProblem::kThreadNotStarted, {read(0, 8), read(1, 8)});
  EXPECT_EQ(check({read(1, 8), read(1, 8)}).reports.size(), 1u) << "reported once";
  expect_clean({read(2, 8), read(1, 8)}, {.roots_allowed = true});
}

TEST(StreamChecker, ThreadEnded) {
  expect_last(StreamProblem::kThreadEnded, {end(0), read(0, 8)});
  expect_last(StreamProblem::kThreadEnded, {end(0), end(0)});
}

TEST(StreamChecker, ThreadJoined) {
  expect_last(StreamProblem::kThreadJoined, {fork(0, 1), end(1), join(0, 1), read(1, 8)});
  expect_last(StreamProblem::kThreadJoined, {fork(0, 1), join(0, 1), read(1, 8)});
}

TEST(StreamChecker, Forks) {
  expect_last(StreamProblem::kForkItself, {fork(0, 0)});
  expect_last(StreamProblem::kForkStarted, {fork(0, 1), fork(0, 1)});
  expect_last(StreamProblem::kForkStarted, {fork(0, 1), fork(1, 0)});
  expect_last(StreamProblem::kForkStarted, {read(1, 8), fork(0, 1)}, {.roots_allowed = true});
  expect_last(StreamProblem::kForkStarted, {fork(0, 1), join(0, 1), fork(0, 1)});
}

TEST(StreamChecker, Joins) {
  expect_last(StreamProblem::kJoinItself, {join(0, 0)});
  expect_last(StreamProblem::kJoinNotStarted, {join(0, 1)});
  expect_last(StreamProblem::kJoinTwice, {fork(0, 1), join(0, 1), join(0, 1)});
  expect_clean({fork(0, 1), read(1, 8), join(0, 1)});
  expect_clean({fork(0, 1), join(1, 0)});
}

TEST(StreamChecker, Barriers) {
  expect_last(StreamProblem::kBarrierExit, {barrier_exit(0, 1)});
  expect_last(StreamProblem::kBarrierExit, {fork(0, 1), barrier_enter(0, 1), barrier_exit(1, 1)});
  expect_last(StreamProblem::kBarrierEnter, {barrier_enter(0, 1), barrier_enter(0, 1)});
  expect_clean({barrier_enter(0, 1), barrier_enter(0, 2), barrier_exit(0, 2), barrier_exit(0, 1),
                barrier_enter(0, 1)});
}

TEST(StreamChecker, BadRange) {
  expect_last(StreamProblem::kBadRange, {read(0, 8, 0)});
  expect_last(StreamProblem::kBadRange, {read(0, ~std::uint64_t{0}, 1)});
  expect_last(StreamProblem::kBadRange, {read(0, 8, kMaxAccessSize + 1)});
}

TEST(StreamChecker, BadOrder) {
  expect_last(StreamProblem::kBadOrder, {load(0, 8, Order::kRelease)});
  expect_last(StreamProblem::kBadOrder, {load(0, 8, Order::kAcqRel)});
  expect_last(StreamProblem::kBadOrder, {store(0, 8, Order::kAcquire)});
  expect_last(StreamProblem::kBadOrder, {store(0, 8, Order::kAcqRel)});
  expect_last(StreamProblem::kBadOrder, {fence(0, Order::kRelaxed)});
  expect_last(StreamProblem::kBadOrder, {fence(0, Order::kPlain)});
  expect_last(StreamProblem::kBadOrder, {access(EventKind::kRead, 0, 8, 8, Order::kRelaxed)});
  expect_clean({load(0, 8, Order::kAcquire), store(0, 8, Order::kRelease),
                rmw(0, 8, Order::kAcqRel), rmw(0, 8, Order::kRelaxed), fence(0, Order::kSeqCst)});
}

TEST(StreamChecker, BadEvent) {
  Event e = read(0, 8);
  e.kind = static_cast<EventKind>(200);
  expect_last(StreamProblem::kBadEvent, {e});
  e = read(kThreadLimit, 8);
  expect_last(StreamProblem::kBadEvent, {e});
  e = fork(0, kThreadLimit);
  expect_last(StreamProblem::kBadEvent, {e});
  e = acquire(0, kM);
  e.is_volatile = true;
  expect_last(StreamProblem::kBadEvent, {e});
}

TEST(StreamChecker, UnknownSource) {
  expect_last(StreamProblem::kUnknownSource,
              {read(0, 8, 8, 1), read(0, 8, 8, 1), read(0, 8, 8, 65)});
  EXPECT_EQ(info(StreamProblem::kUnknownSource).severity, Severity::kWarning);
}

TEST(StreamChecker, NotesAtTheEnd) {
  const Checked checked = check(
      {fork(0, 1), fork(0, 2), acquire(1, kM), acquire_shared(0, 0x20), join(0, 2)}, {}, true);
  ASSERT_EQ(checked.reports.size(), 3u);
  EXPECT_EQ(checked.reports[0].message,
            "end of the trace: T1 (worker) still holds a lock at the end of the trace: 0x10 (m)");
  EXPECT_EQ(checked.reports[1].problem, StreamProblem::kLockHeldAtEnd);
  EXPECT_EQ(checked.reports[2].message, "end of the trace: T1 (worker) was never joined");
  EXPECT_EQ(checked.reports[2].index, kNoIndex);
}

TEST(StreamChecker, ReportsAreLimitedAndCounted) {
  const Checked checked =
      check(std::vector<Event>(100, release(0, kM)), {.reports_per_problem = 3});
  EXPECT_EQ(checked.reports.size(), 3u);
  EXPECT_EQ(checked.counts[static_cast<std::size_t>(StreamProblem::kReleaseNotHeld)], 100u);
}

TEST(StreamChecker, CountsBySeverity) {
  const Sources none;
  StreamChecker checker({}, [](const StreamReport&) {});
  const std::vector<Event> events{release(0, 1), read(0, 8, 8, 9), acquire(0, 1)};
  checker.add(events, none);
  checker.finish(none);
  EXPECT_EQ(checker.count(Severity::kError), 1u);
  EXPECT_EQ(checker.count(Severity::kWarning), 1u);
  EXPECT_EQ(checker.count(Severity::kNote), 1u);
}

TEST(StreamProblems, HaveDistinctIds) {
  for (const StreamProblemInfo& a : kStreamProblems) {
    for (const StreamProblemInfo& b : kStreamProblems)
      EXPECT_TRUE(a.id != b.id || a.problem == b.problem);
  }
}

}  // namespace
}  // namespace redflag
