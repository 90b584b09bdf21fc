// Records: packed by hand as kernels do, unpacked; and what is none.
#include "frontends/cuda/device/stream_event.h"

#include <gtest/gtest.h>

#include <vector>

namespace redflag::device {
namespace {

std::vector<std::uint64_t> record(RecordHead head, std::vector<std::uint64_t> columns,
                                  std::uint32_t what = 0) {
  head.words = static_cast<std::uint8_t>(kHeadWords + columns.size());
  std::vector<std::uint64_t> words{head.packed(), std::uint64_t{7} | std::uint64_t{what} << 32, 123,
                                   std::uint64_t{9} | std::uint64_t{77} << 32};
  words.insert(words.end(), columns.begin(), columns.end());
  return words;
}

TEST(StreamEvent, HeadsArePackedAndUnpacked) {
  const RecordHead head{Hook::kAsyncArrive, Form::kEach, Form::kEqual, Form::kConsecutive, 100, 31,
                        0x80000001};
  EXPECT_EQ(RecordHead::of(head.packed()), head);
  EXPECT_NE(RecordHead{}.packed(), 0U);  // zero is a record that is not written yet
}

TEST(StreamEvent, EqualConsecutiveEach) {
  const std::uint32_t what = What{.deed = Deed::kWrite, .bytes = 4}.packed();
  StreamEvent event;
  ASSERT_TRUE(unpack(record({.hook = Hook::kStore,
                             .addresses = Form::kConsecutive,
                             .values = Form::kEach,
                             .warp = 3,
                             .lanes = 0b1011000},
                            {1000, 5, 6, 8}, what),
                     event));
  EXPECT_EQ(event.hook, Hook::kStore);
  EXPECT_EQ(event.warp, 3U);
  EXPECT_EQ(event.site, 7U);
  EXPECT_EQ(event.block, 123U);
  EXPECT_EQ(event.launch, 9U);
  EXPECT_EQ(event.argument, 77U);
  EXPECT_EQ(event.what.deed, Deed::kWrite);
  EXPECT_EQ(event.address[3], 1000U);
  EXPECT_EQ(event.address[4], 1004U);
  EXPECT_EQ(event.address[6], 1012U);
  EXPECT_EQ(event.value[3], 5U);
  EXPECT_EQ(event.value[4], 6U);
  EXPECT_EQ(event.value[6], 8U);
  ASSERT_TRUE(
      unpack(record({.hook = Hook::kLoad, .addresses = Form::kEqual, .lanes = 6}, {40}), event));
  EXPECT_EQ(event.address[1], 40U);
  EXPECT_EQ(event.address[2], 40U);
  EXPECT_FALSE(event.has_values);
}

TEST(StreamEvent, CopiesFollowEachOtherByTheirSize) {
  StreamEvent event;
  ASSERT_TRUE(unpack(record({.hook = Hook::kAsyncCopy,
                             .addresses = Form::kConsecutive,
                             .sources = Form::kConsecutive,
                             .values = Form::kEqual,
                             .lanes = 3},
                            {100, 5000, 16}),
                     event));
  EXPECT_EQ(event.address[1], 116U);
  EXPECT_EQ(event.source[1], 5016U);
  EXPECT_EQ(event.value[1], 16U);
}

TEST(StreamEvent, WhatIsNoRecordIsRefused) {
  StreamEvent event;
  const std::vector<std::uint64_t> good = record({.hook = Hook::kFence, .lanes = 1}, {});
  ASSERT_TRUE(unpack(good, event));
  for (std::size_t words = 0; words < kHeadWords; ++words) {
    EXPECT_FALSE(unpack(std::span(good).first(words), event));
  }
  std::vector<std::uint64_t> bad = good;
  bad[0] = 0;
  EXPECT_FALSE(unpack(bad, event));
  EXPECT_FALSE(unpack(record({.hook = Hook::kFence, .lanes = 0}, {}), event));
  EXPECT_FALSE(unpack(record({.hook = static_cast<Hook>(kHookCount), .lanes = 1}, {}), event));
  EXPECT_FALSE(
      unpack(record({.hook = Hook::kLoad, .addresses = Form::kEach, .lanes = 7}, {1, 2}), event));
}

}  // namespace
}  // namespace redflag::device
