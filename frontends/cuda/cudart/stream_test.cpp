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

}  // namespace
}  // namespace redflag::cudart
