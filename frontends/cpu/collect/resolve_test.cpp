#include "frontends/cpu/collect/resolve.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "frontends/cpu/wire/testing.h"

int redflag_resolve_global[4];
long redflag_resolve_mutex;
struct {
  long before = 0;
  long mutex = 0;
} redflag_resolve_table[3];

namespace redflag::collect {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::SizeIs;

RawFrame frame(const char* function, const char* module = "/bin/program", bool entry = false) {
  RawFrame one;
  one.frame.function = function;
  one.frame.module = module;
  one.entry = entry;
  return one;
}

std::vector<std::string> names(std::vector<RawFrame> frames) {
  std::vector<std::string> all;
  for (const CodeFrame& one : cut(std::move(frames))) all.push_back(one.function);
  return all;
}

TEST(Cut, BelowMainIsNothing) {
  EXPECT_THAT(names({frame("f"), frame("main"), frame("__libc_start_call_main", "/lib/libc.so.6")}),
              ElementsAre("f", "main"));
  EXPECT_THAT(names({frame("main"), frame("g"), frame("main"), frame("x")}),
              ElementsAre("main", "g", "main"))
      << "the outermost main counts";
}

TEST(Cut, TheRuntimeIsNotSeenButForWhatWasCalled) {
  EXPECT_THAT(names({frame("memcpy", "/lib/libredflag.so.0", true), frame("work"),
                     frame("start", "/lib/libredflag.so.0"), frame("start_thread"),
                     frame("clone3", "/lib/libc.so.6")}),
              ElementsAre("memcpy", "work"));
  EXPECT_THAT(names({frame("work"), frame("redflag::rt::thread_main(void*)")}), ElementsAre("work"))
      << "linked statically";
  EXPECT_THAT(names({frame("work"), frame("redflag_call_routine"), frame("main")}),
              ElementsAre("work", "main"))
      << "between pthread_once and what it calls";
}

TEST(Cut, TheCLibraryBetweenOwnFramesStays) {
  EXPECT_THAT(names({frame("compare"), frame("qsort", "/lib/libc.so.6"), frame("work"),
                     frame("", "/lib/libc.so.6")}),
              ElementsAre("compare", "qsort", "work"));
}

class Resolve : public ::testing::Test {
 protected:
  Finding resolved() { return resolve(message_, map_, symbolizer_); }

  wire::RaceMessage message_ =
      wire::testing::two_writes(reinterpret_cast<std::uintptr_t>(&redflag_resolve_global[2]));
  symbolize::ProcessMap map_ = symbolize::read_maps(static_cast<std::uint32_t>(getpid()));
  symbolize::Symbolizer symbolizer_;
};

TEST_F(Resolve, WhatALiveRunKnows) {
  message_.locks[0].addr = reinterpret_cast<std::uintptr_t>(&redflag_resolve_mutex);
  message_.race.first.more_held = 2;
  const Finding f = resolved();
  EXPECT_EQ(f.rule, Rule::kWriteWrite);
  EXPECT_EQ(f.memory.name, "redflag_resolve_global");
  EXPECT_EQ(f.memory.kind, RegionKind::kGlobal);
  EXPECT_GE(f.memory.size, sizeof(redflag_resolve_global));  // ASan pads globals
  EXPECT_EQ(f.addr - f.memory.addr, 8U);
  ASSERT_THAT(f.memory_stack, SizeIs(1));
  EXPECT_THAT(f.memory_stack[0].file, EndsWith("resolve_test.cpp"));
  EXPECT_EQ(f.first.thread_name, "worker");
  EXPECT_EQ(f.first.access.clock, 12U);
  EXPECT_EQ(f.first.more_locks, 2U);
  ASSERT_THAT(f.first.locks, SizeIs(2));
  EXPECT_EQ(f.first.locks[0].name, "redflag_resolve_mutex");
  EXPECT_EQ(f.first.locks[1].name, "M9");
  EXPECT_TRUE(f.first.locks[1].shared);
  EXPECT_EQ(f.second.thread_name, "main");
  ASSERT_THAT(f.threads, SizeIs(2));
  EXPECT_EQ(f.threads[1].parent, kMainThread);
  EXPECT_EQ(f.threads[1].parent_name, "main");
  EXPECT_EQ(f.threads[1].state, ThreadOrigin::State::kFinished);
  EXPECT_EQ(f.threads[1].system_id, 101U);
  EXPECT_EQ(f.missing, Missing::kLockOnOneSide);
  EXPECT_THAT(f.advice, HasSubstr("Take redflag_resolve_mutex around the access of main"));
}

TEST_F(Resolve, TheSameLockTwiceIsNotMissing) {
  message_.race.second.held = 1;
  message_.race.second.first_held = 1;
  const Finding f = resolved();
  EXPECT_EQ(f.missing, Missing::kExclusiveLock) << "the common one is held for reading";
  EXPECT_EQ(f.locks[0].id, 9U) << "the later access's locks come first";
}

TEST_F(Resolve, HeapBlocks) {
  wire::MemoryRecord& memory = message_.race.memory;
  memory.kind = static_cast<std::uint8_t>(RegionKind::kHeap);
  memory.addr = message_.race.addr - 8;
  memory.size = 40;
  memory.thread = 1;
  memory.freed = 1;
  memory.freed_by = 0;
  const Finding f = resolved();
  EXPECT_EQ(f.memory.kind, RegionKind::kHeap);
  EXPECT_EQ(f.memory.size, 40U);
  EXPECT_EQ(f.origin.thread, ThreadId{1});
  EXPECT_TRUE(f.origin.freed);
  EXPECT_EQ(f.origin.freed_by, kMainThread);
}

TEST_F(Resolve, LocksHaveTheProgramsNames) {
  message_.locks[0].addr = reinterpret_cast<std::uintptr_t>(&redflag_resolve_table[1].mutex);
  EXPECT_EQ(resolved().first.locks[0].name, "redflag_resolve_table[1].mutex");
  wire::LockRecord& lock = message_.locks[0];
  lock.addr = 0x700028;
  lock.block = 0x700000;
  lock.block_size = 64;
  lock.allocated = message_.race.first.stack;
  Finding f = resolved();
  EXPECT_EQ(f.first.locks[0].name, "M7 (offset 40 of a heap block)");
  ASSERT_EQ(f.locks.size(), 2U);
  const LockOrigin& origin = f.locks[0].id == 7 ? f.locks[0] : f.locks[1];
  EXPECT_FALSE(origin.allocated.empty());
  message_.race.memory.kind = static_cast<std::uint8_t>(RegionKind::kHeap);
  message_.race.memory.addr = 0x700000;
  message_.race.memory.size = 64;
  f = resolved();
  EXPECT_EQ(f.first.locks[0].name, "M7 (offset 40 of the same heap block)");
}

TEST_F(Resolve, GlobalsSayWhichPartOfThem) {
  const Finding f = resolved();
  EXPECT_EQ(f.origin.member, "[2]");
}

TEST_F(Resolve, ClassesTheRuntimeDoesNotTellApart) {
  message_.race.second.is_vptr = 1;
  EXPECT_EQ(resolved().rule, Rule::kVptr);
  message_.race.first.kind = static_cast<std::uint8_t>(EventKind::kFree);
  EXPECT_EQ(resolved().rule, Rule::kUseAfterFree);
  message_.race.first.kind = static_cast<std::uint8_t>(EventKind::kWrite);
  message_.race.second.kind = static_cast<std::uint8_t>(EventKind::kFree);
  message_.race.rule = static_cast<std::uint32_t>(Rule::kFree);
  EXPECT_EQ(resolved().rule, Rule::kFree);
}

TEST_F(Resolve, DescriptorsAndStacks) {
  message_.race.memory.is_fd = 1;
  message_.race.memory.addr = 5;
  EXPECT_EQ(resolved().origin.descriptor, 5);
  message_.race.memory = {};
  message_.race.memory.kind = static_cast<std::uint8_t>(RegionKind::kStack);
  message_.race.memory.thread = 1;
  const Finding f = resolved();
  EXPECT_EQ(f.memory.kind, RegionKind::kStack);
  EXPECT_GT(f.memory.size, 0U);
}

TEST_F(Resolve, ALockDestroyedWhileHeldNamesTheHolder) {
  message_.race.rule = static_cast<std::uint32_t>(Rule::kDestroyLocked);
  message_.race.has_first = 0;
  message_.race.addr = 0x6000;
  message_.race.second.held = 1;
  message_.helds[0].acquired = message_.race.first.stack;
  const Finding f = resolved();
  EXPECT_TRUE(f.has_first);
  EXPECT_FALSE(f.first.stack.empty());
  EXPECT_EQ(f.first.thread_name, "main");
  EXPECT_EQ(f.locks[0].addr, Addr{0x6000});
  EXPECT_EQ(f.missing, Missing::kCorrectUse);
}

TEST_F(Resolve, AThreadNobodyRemembers) {
  message_.race.first.thread = wire::kNoThread;
  const Finding f = resolved();
  EXPECT_EQ(f.first.thread_name, "a thread no longer known");
  EXPECT_EQ(f.first.access.thread, kUnknownThread);
}

void some_handler(int) {}

TEST_F(Resolve, AHandlerThatChangedErrnoIsOnTop) {
  message_.race.rule = static_cast<std::uint32_t>(Rule::kErrnoInSignal);
  message_.race.has_first = 0;
  message_.race.addr = reinterpret_cast<std::uint64_t>(&some_handler);
  const Finding f = resolved();
  ASSERT_THAT(f.second.stack, SizeIs(2));
  EXPECT_THAT(f.second.stack[0].function, HasSubstr("some_handler(int)"));
  EXPECT_EQ(f.memory.size, 0U) << "a handler is not memory that is raced on";
}

TEST_F(Resolve, AForgottenStackIsEmptyAndNotAnError) {
  message_.race.first.stack = {};
  message_.race.in_signal_handler = 1;
  const Finding f = resolved();
  EXPECT_TRUE(f.first.stack.empty());
  EXPECT_THAT(f.missing_text, EndsWith("main was in a signal handler."));
}

}  // namespace
}  // namespace redflag::collect
