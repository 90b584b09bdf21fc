#include "frontends/cuda/cudart/stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "frontends/cuda/cudart/testing.h"

namespace redflag::cudart {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Streams, WorkInTheLegacyStreamComesAfterBlockingStreams) {
  testing::Notes notes;
  StreamTable streams(&notes);  // legacy: stream 0, event 1
  Stream* a = streams.create(0, 0);
  Stream* free = streams.create(kStreamNonBlocking, 0);
  notes.lines.clear();
  streams.begin_work(*a);
  streams.begin_work(*free);
  EXPECT_THAT(notes.lines, IsEmpty());
  streams.begin_work(streams.legacy());
  EXPECT_THAT(notes.lines, ElementsAre("record e2 in 1", "stream waits e2 in 0"));
}

TEST(Streams, WorkInBlockingStreamsComesAfterTheLegacyStream) {
  testing::Notes notes;
  StreamTable streams(&notes);
  Stream* a = streams.create(0, 0);
  Stream* free = streams.create(kStreamNonBlocking, 0);
  notes.lines.clear();
  streams.begin_work(streams.legacy());
  streams.begin_work(*free);
  EXPECT_THAT(notes.lines, IsEmpty());
  streams.begin_work(*a);
  EXPECT_THAT(notes.lines, ElementsAre("record e1 in 0", "stream waits e1 in 1"));
  notes.lines.clear();
  streams.begin_work(*a);  // known already
  EXPECT_THAT(notes.lines, IsEmpty());
}

TEST(Streams, ADestroyedStreamStillOrdersWhatItDid) {
  testing::Notes notes;
  StreamTable streams(&notes);
  Stream* a = streams.create(0, 0);
  streams.begin_work(*a);
  notes.lines.clear();
  EXPECT_TRUE(streams.destroy(a));
  EXPECT_THAT(notes.lines, ElementsAre("record e2 in 1", "stream waits e2 in 0"));
  EXPECT_FALSE(streams.destroy(a));
  EXPECT_EQ(streams.resolve(a, Default::kLegacy), nullptr);
}

TEST(Streams, SpecialHandles) {
  StreamTable streams(nullptr);
  auto* const legacy = reinterpret_cast<Stream*>(1);
  auto* const per_thread = reinterpret_cast<Stream*>(2);
  EXPECT_EQ(streams.resolve(nullptr, Default::kLegacy), &streams.legacy());
  EXPECT_EQ(streams.resolve(legacy, Default::kPerThread), &streams.legacy());
  Stream* mine = streams.resolve(nullptr, Default::kPerThread);
  EXPECT_EQ(streams.resolve(per_thread, Default::kLegacy), mine);
  EXPECT_NE(mine, &streams.legacy());
  EXPECT_TRUE(mine->blocking());
  Stream* other = nullptr;
  std::thread([&] { other = streams.resolve(nullptr, Default::kPerThread); }).join();
  EXPECT_NE(other, mine);
}

TEST(Streams, NonBlockingStreamsAreToldAsSuch) {
  testing::Notes notes;
  StreamTable streams(&notes);
  (void)streams.create(kStreamNonBlocking, 0);
  (void)streams.internal_stream();
  EXPECT_THAT(notes.lines, ElementsAre("non-blocking in 1", "non-blocking in 2"));
}

// As an entry point of the library has it: its caller, and whoever called that one.
[[gnu::noinline]] gpu::SiteId entry_point() {
  set_caller(static_cast<const char*>(__builtin_return_address(0)) - 1, true);
  return call_site();
}
[[gnu::noinline]] gpu::SiteId wrapper() {
  const gpu::SiteId site = entry_point();
  asm volatile("" ::: "memory");  // no tail call
  return site;
}

TEST(Callers, TheCallAboveTellsWrappersApart) {
  const gpu::SiteId first = wrapper();
  asm volatile("" ::: "memory");
  const gpu::SiteId second = wrapper();
  EXPECT_NE(first, second);
  EXPECT_EQ(caller_of(first).at, caller_of(second).at);
  EXPECT_NE(caller_of(first).above, caller_of(second).above);
  EXPECT_NE(caller_of(first).above, nullptr);
  set_caller(nullptr, false);
}

TEST(Callers, SitesOfTheHostAreToldFromTheDevices) {
  static const int place = 0;
  set_caller(&place, false);
  const gpu::SiteId site = call_site();
  EXPECT_EQ(call_site(), site);
  EXPECT_EQ(caller_of(site), (Caller{&place, nullptr}));
  EXPECT_EQ(caller_of(gpu::SiteId{7}), Caller{});
  set_caller(nullptr, false);
  EXPECT_EQ(raw(call_site()), 0U);
}

TEST(Callers, ThreadsAndCallbacksHaveNumbersOfTheirOwn) {
  const ThreadId here = this_thread();
  ThreadId there{};
  std::thread([&] { there = this_thread(); }).join();
  EXPECT_NE(here, there);
  const AsCallbackThread as;
  EXPECT_NE(this_thread(), here);
}

}  // namespace
}  // namespace redflag::cudart
