// Jobs without barriers: what is found, what is kept, and what is said to be lost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <functional>
#include <random>
#include <set>
#include <thread>

#include "frontends/pgas/track/in_process.h"
#include "frontends/pgas/track/job.h"
#include "frontends/pgas/wire/line.h"

namespace redflag::pgas {
namespace {

constexpr std::uint64_t kBase = 1000;
constexpr std::uint64_t kSize = 1 << 20;
constexpr std::size_t kAtTheEnd = std::size_t{1} << 40;  // a batch that is never full

// Addresses that are places: a report names them by their offset in this program.
std::array<char, 1024> g_places;

using Pair = std::pair<std::uint64_t, std::uint64_t>;

struct Told {
  std::set<Pair> races;  // by the places' offsets
  std::uint64_t lost = 0;
  std::set<Pair> before_finish;
  std::array<std::size_t, kRanks> kept{};
};

struct Settings {
  std::size_t batch = 1;
  std::size_t most_kept = 1U << 22;
  std::size_t most_unsent = 64U << 20;
  std::size_t room = 1U << 16;
  Model model = Model::kMpi;
};

// Runs `body` on each rank, with a window of its own.
Told run(const Settings& settings,
         const std::function<void(Job&, std::uint32_t, const LibraryCall&)>& body) {
  Board board;
  board.room = settings.room;
  Told told;
  std::atomic<bool> is_over{false};
  std::barrier<> all_done{kRanks};
  std::vector<std::thread> ranks;
  for (std::uint32_t r = 0; r < kRanks; ++r) {
    ranks.emplace_back([&, r] {
      InProcess transport(board, r);
      Job::Options options;
      options.model = settings.model;
      options.batch = settings.batch;
      options.most_waiting = settings.batch;
      options.most_kept = settings.most_kept;
      options.most_unsent = settings.most_unsent;
      options.report = [&](const std::string& line) {
        ASSERT_EQ(r, 0U);
        if (const auto race = read_line(line)) {
          const Pair places =
              std::minmax(race->first.stack.at(1).offset, race->second.stack.at(1).offset);
          told.races.insert(places);
          if (!is_over) told.before_finish.insert(places);
        } else if (const auto loss = read_loss(line)) {
          told.lost += loss->accesses;
        } else {
          ADD_FAILURE() << line;
        }
      };
      Job job(transport, nullptr, options);
      const LibraryCall call(nullptr, nullptr, nullptr);
      Window window;
      window.number = 1;
      window.name = "w";
      window.base = kBase;
      window.size = kSize;
      job.window_made(call, window, {});
      body(job, r, call);
      all_done.arrive_and_wait();
      told.kept[r] = job.kept();
      is_over = true;
      job.finish(call);
    });
  }
  for (std::thread& each : ranks) each.join();
  return told;
}

Job::Issued access(Job& job, std::uint32_t target, std::uint64_t offset, std::uint64_t size,
                   std::size_t place, AccessKind kind = AccessKind::kPut) {
  const LibraryCall call(nullptr, nullptr, &g_places[place]);
  const Piece piece{offset, size};
  TargetAccess made;
  made.rank = target;
  made.window = made.group = 1;
  made.pieces = std::span(&piece, 1);
  made.kind = kind;
  if (info(kind).is_atomic) made.atomicity = {1, 1, 4, false};
  return job.issue(call, {}, &made, false, Ends::kTogether);
}

void complete(Job& job, const LibraryCall& call) {
  job.complete(call, Completes::kRemotely, 1, {});
}

// Steps that the job knows nothing of, one after the other.
class Sequence {
 public:
  void wait_for(std::size_t step) const {
    while (at_.load() != step) std::this_thread::yield();
  }
  void next() { at_.fetch_add(1); }

 private:
  std::atomic<std::size_t> at_{0};
};

TEST(JobWindow, ARaceIsToldWhileTheJobRuns) {
  Sequence sequence;
  const Told told = run({}, [&](Job& job, std::uint32_t r, const LibraryCall& call) {
    sequence.wait_for(r);
    if (r < 2) access(job, 2, 8 * r, 16, r);
    complete(job, call);
    (void)job.release(call);
    sequence.next();
    sequence.wait_for(3 + (kRanks - 1 - r));  // the owner first, then rank 0
    for (int k = 0; k < 3; ++k) (void)job.release(call), complete(job, call);
    sequence.next();
  });
  EXPECT_EQ(told.races.size(), 1U);
  EXPECT_EQ(told.before_finish.size(), 1U);
}

// The record is at its owner before its operation is complete, and the completion long after others
// know of it.
TEST(JobWindow, ACompletionThatComesLateIsNoRace) {
  Sequence sequence;
  std::shared_ptr<const Knowledge> message;
  const Told told = run({}, [&](Job& job, std::uint32_t r, const LibraryCall& call) {
    if (r == 0) {
      access(job, 2, 0, 16, 0);
      (void)job.release(call);  // it is sent, pending
      complete(job, call);
      message = job.release(call);
      sequence.next();
    } else if (r == 1) {
      sequence.wait_for(1);
      job.acquire(call, *message);
      access(job, 2, 0, 16, 1);
      complete(job, call);
      (void)job.release(call);
      sequence.next();
    } else {
      for (int k = 0; k < 1000; ++k) complete(job, call);
      sequence.wait_for(2);
      for (int k = 0; k < 1000; ++k) complete(job, call);
    }
  });
  EXPECT_TRUE(told.races.empty());
}

// What was sent before a fence learns of it.
TEST(JobWindow, AFenceIsToldOfWhatWasSent) {
  for (const bool is_fenced : {true, false}) {
    Settings settings;
    settings.model = Model::kShmem;
    const Told told = run(settings, [&](Job& job, std::uint32_t r, const LibraryCall& call) {
      if (r != 0) return;
      access(job, 2, 0, 8, 0);
      (void)job.release(call);
      if (is_fenced) job.fence(call, 1);
      access(job, 2, 0, 8, 1);
    });
    EXPECT_EQ(told.races.size(), is_fenced ? 0U : 1U);
  }
}

// Each takes a lock in turn: everybody gets to know what all did.
TEST(JobWindow, WhatAllKnowIsDropped) {
  constexpr int kRounds = 2000;
  Sequence sequence;
  std::shared_ptr<const Knowledge> lock = std::make_shared<const Knowledge>();
  Settings settings;
  settings.batch = 64;
  const Told told = run(settings, [&](Job& job, std::uint32_t r, const LibraryCall& call) {
    for (std::uint32_t k = 0; k < kRounds; ++k) {
      sequence.wait_for(k * kRanks + r);
      job.acquire(call, *lock);
      access(job, 1, k * 16, 16, r);  // to other bytes each time
      complete(job, call);
      lock = job.release(call);
      sequence.next();
    }
  });
  EXPECT_TRUE(told.races.empty());
  EXPECT_EQ(told.lost, 0U);
  EXPECT_LT(told.kept[1], 1000U);  // of 6000
}

// A rank that waits for the others knows nothing of what they do meanwhile, but will.
TEST(JobWindow, WhoWaitsForABarrierHoldsNothingBack) {
  constexpr int kRounds = 1000;
  Sequence sequence;
  std::shared_ptr<const Knowledge> lock = std::make_shared<const Knowledge>();
  Settings settings;
  settings.batch = 64;
  std::array<std::size_t, kRanks> kept{};
  const Told told = run(settings, [&](Job& job, std::uint32_t r, const LibraryCall& call) {
    std::this_thread::sleep_for(
        std::chrono::milliseconds(20));  // no barrier follows another closely
    if (r == 0) {
      job.barrier_enter(call);
      sequence.next();
    }
    for (std::uint32_t k = 0; r != 0 && k < kRounds; ++k) {
      sequence.wait_for(k * 2 + r);
      job.acquire(call, *lock);
      access(job, 1, k * 16, 16, r);
      complete(job, call);
      lock = job.release(call);
      sequence.next();
    }
    kept[r] = job.kept();
    if (r != 0) job.barrier_enter(call);
    job.barrier_leave(call);
  });
  EXPECT_TRUE(told.races.empty());
  EXPECT_EQ(told.lost, 0U);
  EXPECT_LT(kept[1], 500U);  // of 2000
}

// Nobody learns of anything: what is done again and again is kept once.
TEST(JobWindow, OfTheSameBytesTheLastIsKept) {
  Settings settings;
  settings.batch = 64;
  const Told told = run(settings, [&](Job& job, std::uint32_t r, const LibraryCall& call) {
    for (std::uint32_t k = 0; k < 3000; ++k) {
      access(job, (r + 1) % kRanks, (k % 10 + r * 10) * 8, 8, r);
      complete(job, call);
    }
    (void)job.release(call);
    for (int k = 0; k < 100; ++k) complete(job, call);
  });
  EXPECT_TRUE(told.races.empty());
  EXPECT_EQ(told.lost, 0U);
  for (const std::size_t kept : told.kept) EXPECT_LT(kept, 500U);  // of 3000
}

TEST(JobWindow, BeyondTheLimitTheOldestAreLostAndThatIsSaid) {
  Settings settings;
  settings.batch = 64;
  settings.most_kept = 400;
  const Told told = run(settings, [&](Job& job, std::uint32_t r, const LibraryCall& call) {
    for (std::uint32_t k = 0; r == 0 && k < 3000; ++k) {
      access(job, 0, k * 16, 8, 0);
      complete(job, call);
    }
  });
  EXPECT_GE(told.lost, 2000U);
  EXPECT_LT(told.kept[0], 1000U);
}

// A rank that makes no call takes nothing. Nobody waits for it, and it gets all in the end.
TEST(JobWindow, AFullWindowKeepsNobodyWaiting) {
  Settings settings;
  settings.room = 300;
  settings.batch = 8;
  const Told told = run(settings, [&](Job& job, std::uint32_t r, const LibraryCall& call) {
    for (std::uint32_t k = 0; r < 2 && k < 500; ++k) {
      access(job, 2, k * 8, 8, k == 400 ? 10 + r : 20 + r,
             k == 400 ? AccessKind::kPut : AccessKind::kGet);
      complete(job, call);
    }
  });
  EXPECT_EQ(told.races.size(), 1U);  // of the two puts
  EXPECT_EQ(told.lost, 0U);
}

TEST(JobWindow, WhatIsNeverTakenIsLostBeyondALimitAndThatIsSaid) {
  Settings settings;
  settings.room = 300;
  settings.batch = 8;
  settings.most_unsent = 1000;
  const Told told = run(settings, [&](Job& job, std::uint32_t r, const LibraryCall& call) {
    for (std::uint32_t k = 0; r == 0 && k < 500; ++k) {
      access(job, 2, k * 8, 8, 0);
      complete(job, call);
    }
  });
  EXPECT_GE(told.lost, 400U);
  EXPECT_TRUE(told.races.empty());
}

// --- Random jobs: with windows and without, the same is found.

struct RandomStep {
  enum Kind : std::uint8_t { kAccess, kComplete, kRelease, kAcquire, kFence, kBarrier };
  Kind kind = kAccess;
  std::uint32_t rank = 0;
  std::uint32_t target = 0;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  AccessKind access = AccessKind::kPut;
  std::size_t place = 0;
  std::size_t message = 0;
};

std::vector<RandomStep> random_job(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint64_t n) { return static_cast<std::uint32_t>(random() % n); };
  static constexpr AccessKind kKinds[] = {AccessKind::kPut, AccessKind::kGet, AccessKind::kGet,
                                          AccessKind::kAccumulate};
  std::vector<RandomStep> steps(20 + below(120));
  const std::uint32_t spread = 4 + below(60);
  const bool has_barriers = below(3) == 0;
  for (RandomStep& step : steps) {
    step.rank = below(kRanks);
    const std::uint32_t what = below(100);
    step.kind = what < 45   ? RandomStep::kAccess
                : what < 60 ? RandomStep::kComplete
                : what < 75 ? RandomStep::kRelease
                : what < 94 ? RandomStep::kAcquire
                : what < 98 ? RandomStep::kFence
                            : RandomStep::kBarrier;
    if (step.kind == RandomStep::kBarrier && !has_barriers) step.kind = RandomStep::kComplete;
    step.target = below(kRanks);
    step.offset = below(spread) * 4;
    step.size = 4 + 4 * below(3);
    step.access = kKinds[below(4)];
    step.place = step.rank * 100 + below(3) * 10 + static_cast<std::size_t>(step.access);
    step.message = below(3);
  }
  return steps;
}

Told run_random(const std::vector<RandomStep>& steps, const Settings& settings) {
  Sequence sequence;
  std::array<std::shared_ptr<const Knowledge>, 3> messages;
  return run(settings, [&](Job& job, std::uint32_t r, const LibraryCall& call) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const RandomStep& step = steps[i];
      if (step.kind == RandomStep::kBarrier) {  // by all of them
        if (r == step.rank) sequence.wait_for(i);
        job.barrier_enter(call);
        job.barrier_leave(call);
        if (r == step.rank) sequence.next();
        continue;
      }
      if (step.rank != r) continue;
      sequence.wait_for(i);
      std::shared_ptr<const Knowledge>& message = messages[step.message];
      switch (step.kind) {
        case RandomStep::kAccess:
          access(job, step.target, step.offset, step.size, step.place, step.access);
          break;
        case RandomStep::kComplete:
          complete(job, call);
          break;
        case RandomStep::kRelease:
          message = job.release(call);
          break;
        case RandomStep::kAcquire:
          if (message != nullptr) job.acquire(call, *message);
          break;
        case RandomStep::kFence:
          if (settings.model == Model::kShmem) job.fence(call, 1);
          break;
        case RandomStep::kBarrier:
          break;
      }
      sequence.next();
    }
  });
}

TEST(RandomJobsByWindow, FindWhatIsFoundAtTheEnd) {
  std::size_t racy = 0;
  std::size_t early = 0;
  for (std::uint64_t seed = 1; seed <= 1000 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const std::vector<RandomStep> steps = random_job(seed);
    Settings settings;
    settings.model = seed % 2 == 0 ? Model::kMpi : Model::kShmem;
    settings.batch = kAtTheEnd;
    const Told at_the_end = run_random(steps, settings);
    settings.batch = 1 + seed % 5;
    settings.room = seed % 3 == 0 ? 500 : 1U << 16;
    const Told by_window = run_random(steps, settings);
    EXPECT_THAT(by_window.races, testing::ContainerEq(at_the_end.races));
    EXPECT_EQ(by_window.lost, 0U);
    racy += at_the_end.races.empty() ? 0 : 1;
    early += by_window.before_finish.empty() ? 0 : 1;
  }
  EXPECT_GT(racy, 100U);
  EXPECT_GT(early, 50U);
}

}  // namespace
}  // namespace redflag::pgas
