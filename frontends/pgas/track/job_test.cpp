// Ranks as threads of one process: the whole way from an operation to a line at rank 0.
#include "frontends/pgas/track/job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <random>
#include <set>
#include <thread>

#include "frontends/pgas/track/in_process.h"
#include "frontends/pgas/wire/line.h"

namespace redflag::pgas {
namespace {

// Runs `body` on each rank, with a window of 100 bytes from address 1000 on; what rank 0 was told.
std::vector<RaceLine> run(const std::function<void(Job&, std::uint32_t, const LibraryCall&)>& body,
                          std::size_t batch = 1,
                          std::size_t worth_asking = Job::Options().worth_asking,
                          bool predicts = false) {
  Board board;
  std::vector<RaceLine> told;
  std::vector<std::thread> ranks;
  for (std::uint32_t r = 0; r < kRanks; ++r) {
    ranks.emplace_back([&, r] {
      InProcess transport(board, r);
      Job::Options options;
      options.batch = batch;
      options.worth_asking = worth_asking;
      options.predicts = predicts;
      options.report = [&](const std::string& line) {
        ASSERT_EQ(r, 0U);
        const std::optional<RaceLine> read = read_line(line);
        ASSERT_TRUE(read.has_value()) << line;
        told.push_back(*read);
      };
      Job job(transport, nullptr, options);
      const LibraryCall call(nullptr, nullptr, nullptr);
      Window window;
      window.number = 1;
      window.name = "w";
      window.base = 1000;
      window.size = 100;
      job.window_made(call, window, {});
      body(job, r, call);
      job.finish(call);
    });
  }
  for (std::thread& each : ranks) each.join();
  return told;
}

// From a place of its own for each `line`.
std::uint64_t put(Job& job, std::uint32_t target, std::uint64_t offset, std::uint64_t size,
                  std::uintptr_t line, AccessKind kind = AccessKind::kPut) {
  const LibraryCall call(nullptr, nullptr, reinterpret_cast<const void*>(line));
  const Piece piece{offset, size};
  TargetAccess access;
  access.rank = target;
  access.window = access.group = 1;
  access.pieces = std::span(&piece, 1);
  access.kind = kind;
  return job.issue(call, {}, &access, false, Ends::kTogether).number;
}

void barrier(Job& job, const LibraryCall& call) {
  job.barrier_enter(call);
  job.barrier_leave(call);
}

TEST(Job, TwoPutsOfTwoRanksRace) {
  for (const std::size_t batch : {std::size_t{1}, std::size_t{1000}}) {
    const std::vector<RaceLine> told = run(
        [](Job& job, std::uint32_t r, const LibraryCall& call) {
          if (r < 2) put(job, 2, 8 * r, 16, 100 + r);
          job.complete(call, Completes::kRemotely, 1, {});
          barrier(job, call);
          barrier(job, call);
        },
        batch);
    ASSERT_EQ(told.size(), 1U);
    EXPECT_EQ(told[0].owner, 2U);
    EXPECT_EQ(told[0].begin, 1008U);
    EXPECT_EQ(told[0].size, 8U);
    EXPECT_EQ(told[0].object, "w");
    EXPECT_EQ(told[0].gap, static_cast<std::uint32_t>(Gap::kNotSynchronised));
  }
}

TEST(Job, ABarrierBehindTheCompletionOrders) {
  EXPECT_TRUE(run([](Job& job, std::uint32_t r, const LibraryCall& call) {
                if (r == 0) put(job, 2, 0, 16, 100);
                job.complete(call, Completes::kRemotely, 1, {});
                barrier(job, call);
                if (r == 1) put(job, 2, 0, 16, 101);
                job.complete(call, Completes::kRemotely, 1, {});
              }).empty());
}

TEST(Job, ABarrierBeforeTheCompletionDoesNot) {
  for (const std::size_t batch : {std::size_t{1}, std::size_t{1000}}) {
    const std::vector<RaceLine> told = run(
        [](Job& job, std::uint32_t r, const LibraryCall& call) {
          if (r == 0) put(job, 2, 0, 16, 100);
          barrier(job, call);
          if (r == 1) put(job, 2, 0, 16, 101);
          job.complete(call, Completes::kRemotely, 1, {});
        },
        batch);
    ASSERT_EQ(told.size(), 1U);
    EXPECT_EQ(told[0].gap, static_cast<std::uint32_t>(Gap::kNotCompleted));
  }
}

TEST(Job, LocalCompletionCompletesNothingAtTheTarget) {
  EXPECT_EQ(run([](Job& job, std::uint32_t r, const LibraryCall& call) {
              if (r == 0) put(job, 2, 0, 16, 100);
              job.complete(call, Completes::kLocally, 1, {});
              barrier(job, call);
              if (r == 1) put(job, 2, 0, 16, 101);
            }).size(),
            1U);
}

// SHMEM: a fence orders what the same rank writes to the same target, and nothing else.
TEST(Job, AFenceOrdersTowardsOneTarget) {
  EXPECT_TRUE(run([](Job& job, std::uint32_t r, const LibraryCall& call) {
                if (r != 0) return;
                put(job, 2, 0, 8, 100);
                job.fence(call, 1);
                put(job, 2, 0, 8, 101);
              }).empty());
  EXPECT_EQ(run([](Job& job, std::uint32_t r, const LibraryCall& call) {
              if (r != 0) return;
              put(job, 2, 0, 8, 100);
              job.fence(call, 1);
              put(job, 2, 0, 8, 101, AccessKind::kGet);
            }).size(),
            1U);
}

// The same pair of places is told once, however often it races.
TEST(Job, APairOfPlacesIsToldOnce) {
  EXPECT_EQ(run([](Job& job, std::uint32_t r, const LibraryCall& call) {
              for (int k = 0; k < 20; ++k) {
                if (r < 2) put(job, 2, 0, 16, 100 + r);
                job.complete(call, Completes::kRemotely, 1, {});
                barrier(job, call);
              }
            }).size(),
            1U);
}

// Rank 0 puts under a lock, which rank 1 takes next and puts under it or behind it.
std::vector<RaceLine> pass_a_lock_on(bool behind, bool predicts) {
  std::promise<std::shared_ptr<const Knowledge>> left;
  return run(
      [&](Job& job, std::uint32_t r, const LibraryCall& call) {
        const RankLock lock{1, 0, 2, 1};
        if (r == 0) {
          job.locked(call, lock, {});
          put(job, 2, 0, 8, 100);
          job.complete(call, Completes::kRemotely, 1, {});
          left.set_value(job.release(call));
          job.unlocked(call, lock);
        }
        if (r == 1) {
          job.locked(call, lock, *left.get_future().get());
          if (!behind) put(job, 2, 0, 8, 101);
          job.complete(call, Completes::kRemotely, 1, {});
          job.unlocked(call, lock);
          if (behind) put(job, 2, 0, 8, 101);
        }
      },
      1000, Job::Options().worth_asking, predicts);
}

TEST(Job, WhatALockPutsInOrderIsPredictedWhereAsked) {
  EXPECT_TRUE(pass_a_lock_on(true, false).empty());
  EXPECT_TRUE(pass_a_lock_on(false, true).empty());
  const std::vector<RaceLine> told = pass_a_lock_on(true, true);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].gap, static_cast<std::uint32_t>(Gap::kLockOrder));
}

// Random jobs: whether owners are asked what they need changes nothing that is found, nor does when records are
// exchanged.
TEST(Job, AskingFirstLosesNothing) {
  std::size_t found = 0;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    const auto places = [&](std::size_t batch, std::size_t worth_asking) {
      std::set<std::set<std::uint64_t>> pairs;
      const std::vector<RaceLine> told = run(
          [&](Job& job, std::uint32_t r, const LibraryCall& call) {
            std::mt19937 common(seed);  // what all do together
            std::mt19937 own(seed * 10 + r);
            const bool is_quiet = seed % 3 == 0;  // accumulates alike, almost only
            for (int step = 0; step < 25; ++step) {
              const auto what = own() % (is_quiet ? 40 : 8);
              const auto kind = what == 0   ? AccessKind::kPut
                                : what == 1 ? AccessKind::kGet
                                            : AccessKind::kAccumulate;
              const auto code = reinterpret_cast<std::uintptr_t>(&barrier);  // somewhere in it
              put(job, own() % kRanks, own() % 6 * 8, 8, code + r * 10 + what % 8, kind);
              if (own() % 4 == 0) job.complete(call, Completes::kRemotely, 1, {});
              if (common() % 4 == 0) barrier(job, call);
            }
          },
          batch, worth_asking);
      for (const RaceLine& each : told) {
        const auto place = [](const LineSide& side) {
          return side.stack.size() < 2 ? 0 : side.stack[1].offset;
        };
        pairs.insert({place(each.first), place(each.second)});
      }
      return pairs;
    };
    const auto expected = places(1, ~std::size_t{0});
    found += expected.size();
    EXPECT_EQ(places(1, 0), expected);
    EXPECT_EQ(places(20, 0), expected);
  }
  EXPECT_GT(found, 100U);
}

}  // namespace
}  // namespace redflag::pgas
