// Ranks as threads of one process: the whole way from an operation to a line at rank 0.
#include "frontends/pgas/track/job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "frontends/pgas/track/in_process.h"
#include "frontends/pgas/wire/line.h"

namespace redflag::pgas {
namespace {

// Runs `body` on each rank, with a window of 100 bytes from address 1000 on; what rank 0 was told.
std::vector<RaceLine> run(const std::function<void(Job&, std::uint32_t, const LibraryCall&)>& body,
                          std::size_t batch = 1) {
  Board board;
  std::vector<RaceLine> told;
  std::vector<std::thread> ranks;
  for (std::uint32_t r = 0; r < kRanks; ++r) {
    ranks.emplace_back([&, r] {
      InProcess transport(board, r);
      Job::Options options;
      options.batch = batch;
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

}  // namespace
}  // namespace redflag::pgas
