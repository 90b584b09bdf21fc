#include "frontends/cpu/collect/between.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>

#include "core/model/make_event.h"
#include "frontends/cpu/collect/record_testing.h"

namespace redflag::collect {
namespace {

using testing::chunk;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// In the first of two memories.
constexpr std::uint64_t kX = (std::uint64_t{1} << wire::kMemoryShift) + 0x10;
constexpr std::uint64_t kLock = kX + 0x20;
constexpr std::uint64_t kKey = kLock + wire::kSharedKeys;

// Processes 0 and 1, the second forked by the first, with one thread each, and another of process 1.
BetweenTables two_processes() {
  BetweenTables tables;
  tables.processes = {{100, 0}, {200, 1}};
  tables.threads = {{0, 0, ""}, {1, 0, ""}, {1, 1, "worker"}};
  tables.memories = {{7, 8, 0x500000, 0x1000, 0, 0},
                     {wire::kAnonymousDevice, 1, 0x7000, 0x1000, 1, 0}};
  return tables;
}

// What the threads did, in this order.
BetweenReplay replayed(const std::vector<Event>& events,
                       const BetweenTables& tables = two_processes(),
                       const std::string& more = "") {
  std::string chunks = more;
  for (std::uint32_t t = 0; t < 8; ++t) {
    std::vector<wire::RecordedEvent> own;
    for (std::size_t i = 0; i < events.size(); ++i) {
      if (raw(events[i].thread) == t) own.push_back({i + 1, events[i]});
    }
    if (!own.empty()) chunks += chunk(wire::ChunkKind::kEvents, t, own);
  }
  symbolize::Symbolizer symbolizer;
  return replay_between(tables, testing::as_bytes(chunks), wire::kChunkBytes, symbolizer);
}

TEST(Between, ARaceBetweenProcessesIsReportedAtItsAddress) {
  const BetweenReplay replay = replayed({make::write(0, kX, 4), make::write(1, kX, 4)});
  ASSERT_THAT(replay.findings, SizeIs(1));
  const Finding& f = replay.findings[0];
  EXPECT_EQ(f.rule, Rule::kWriteWrite);
  EXPECT_EQ(raw(f.addr), 0x500010U);
  EXPECT_EQ(f.memory.kind, RegionKind::kShared);
  EXPECT_EQ(raw(f.memory.addr), 0x500000U);
  EXPECT_EQ(f.first.thread_name, "process 100");
  EXPECT_EQ(f.second.thread_name, "process 200, child of 100");
  EXPECT_EQ(replay.pids, std::vector<std::uint32_t>{200});
}

TEST(Between, ForkAndJoinOrderProcesses) {
  EXPECT_THAT(replayed({make::write(0, kX), make::fork(0, 1), make::write(1, kX), make::join(0, 1),
                        make::write(0, kX)})
                  .findings,
              IsEmpty());
  EXPECT_THAT(replayed({make::fork(0, 1), make::write(0, kX), make::write(1, kX)}).findings,
              SizeIs(1));
}

TEST(Between, KeysAndLocksInSharedMemoryOrderProcesses) {
  EXPECT_THAT(replayed({make::write(1, kX), make::rmw(1, kKey, Order::kRelease, 1),
                        make::load(0, kKey, Order::kAcquire, 1), make::write(0, kX)})
                  .findings,
              IsEmpty());
  EXPECT_THAT(replayed({make::acquire(1, kLock), make::write(1, kX), make::release(1, kLock),
                        make::acquire(0, kLock), make::write(0, kX), make::release(0, kLock)})
                  .findings,
              IsEmpty());
}

TEST(Between, RacesWithinAProcessWereFoundLive) {
  const BetweenReplay replay = replayed({make::fork(1, 2), make::write(1, kX), make::write(2, kX)});
  EXPECT_THAT(replay.findings, IsEmpty());
}

TEST(Between, ThreadsHaveTheirNames) {
  const BetweenReplay replay = replayed({make::fork(1, 2), make::write(2, kX), make::read(0, kX)});
  ASSERT_THAT(replay.findings, SizeIs(1));
  EXPECT_EQ(replay.findings[0].first.thread_name, "worker of process 200, child of 100");
}

// A process that comes from nowhere knows what was recorded until then, and nothing later.
TEST(Between, WhoComesLateKnowsThePast) {
  const auto come = [](std::uint32_t t) { return make::fork(t, t); };
  EXPECT_THAT(replayed({make::write(0, kX), come(1), make::write(1, kX)}).findings, IsEmpty());
  EXPECT_THAT(replayed({come(1), make::write(0, kX), make::write(1, kX)}).findings, SizeIs(1));
  EXPECT_THAT(
      replayed({make::write(0, kX), come(1), make::write(1, kX), make::write(0, kX)}).findings,
      SizeIs(1));
}

// Robust mutexes: the dead owner gave nothing up.
TEST(Between, ALockOfTheDeadPassesOn) {
  EXPECT_THAT(replayed({make::acquire(1, kLock), make::write(1, kX), make::acquire(0, kLock),
                        make::write(0, kX)})
                  .findings,
              IsEmpty());
}

TEST(Between, WhatWasRecordedAfterTheEndDoesNotCount) {
  BetweenTables tables = two_processes();
  tables.stopped_at = 2;
  const BetweenReplay replay = replayed({make::write(0, kX), make::write(1, kX)}, tables);
  EXPECT_THAT(replay.findings, IsEmpty());
  EXPECT_EQ(replay.events, 1U);
}

TEST(Between, NumbersThatMeanNothingAreLeftOut) {
  constexpr std::uint64_t kNowhere = std::uint64_t{9} << wire::kMemoryShift;
  const BetweenReplay replay =
      replayed({make::write(7, kX), make::fork(0, 70), make::join(0, 70), make::join(0, 0),
                make::write(0, kNowhere), make::write(1, kNowhere)});
  EXPECT_THAT(replay.findings, IsEmpty());
}

__attribute__((noinline)) std::uint64_t here() {
  return reinterpret_cast<std::uint64_t>(
      __builtin_extract_return_addr(__builtin_return_address(0)));
}

TEST(Between, StacksAreOfTheProcessThatHasThem) {
  std::ifstream file("/proc/self/maps");
  const std::string maps{std::istreambuf_iterator<char>(file), {}};
  const std::vector<wire::RecordedContext> nodes{{1, 0, here()}};
  // Process 1 has its code here; of process 0 nothing is known.
  const std::string more =
      chunk(wire::ChunkKind::kContexts, 1, nodes) +
      chunk(wire::ChunkKind::kModules, 1, std::vector<char>(maps.begin(), maps.end()));
  const BetweenReplay replay =
      replayed({make::write(0, kX, 8), make::write(1, kX, 8, 1)}, two_processes(), more);
  ASSERT_THAT(replay.findings, SizeIs(1));
  EXPECT_THAT(replay.findings[0].first.stack, IsEmpty());
  ASSERT_FALSE(replay.findings[0].second.stack.empty());
  EXPECT_THAT(replay.findings[0].second.stack[0].function, HasSubstr("StacksAreOfTheProcess"));
}

TEST(BetweenFile, WhatNobodyWroteIsEmpty) {
  Result<BetweenFile> file = BetweenFile::create();
  ASSERT_TRUE(file.has_value());
  const Result<std::vector<std::byte>> bytes = file->read();
  ASSERT_TRUE(bytes.has_value());
  EXPECT_THAT(*bytes, IsEmpty());
  symbolize::Symbolizer symbolizer;
  EXPECT_THAT(replay_between(*bytes, symbolizer).findings, IsEmpty());
}

TEST(BetweenFile, TablesAreCutToWhatFits) {
  std::vector<std::byte> bytes(wire::kBetweenHeaderBytes);
  EXPECT_FALSE(read_tables(bytes).has_value());
  const auto put = [&](std::size_t offset, std::uint32_t value) {
    std::memcpy(bytes.data() + offset, &value, sizeof(value));
  };
  put(offsetof(wire::BetweenHeader, magic), wire::kBetweenMagic);
  put(offsetof(wire::BetweenHeader, processes), 0xffffffffU);
  put(offsetof(wire::BetweenHeader, threads), 3);
  put(offsetof(wire::BetweenHeader, memories), wire::kBetweenMemories + 1);
  const std::optional<BetweenTables> tables = read_tables(bytes);
  ASSERT_TRUE(tables.has_value());
  EXPECT_THAT(tables->processes, SizeIs(wire::kBetweenProcesses));
  EXPECT_THAT(tables->threads, SizeIs(3));
  EXPECT_THAT(tables->memories, SizeIs(wire::kBetweenMemories));
  bytes.resize(100);
  EXPECT_FALSE(read_tables(bytes).has_value());
}

}  // namespace
}  // namespace redflag::collect
