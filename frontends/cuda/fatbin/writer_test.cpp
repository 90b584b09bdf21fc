#include "frontends/cuda/fatbin/writer.h"

#include <gtest/gtest.h>

#include "frontends/cuda/fatbin/container.h"

namespace redflag::fatbin {
namespace {

TEST(Writer, WhatIsWrittenIsRead) {
  for (std::size_t length = 0; length < 20; ++length) {
    const std::string ptx(length, 'p');
    const std::string bytes = write_container(ptx, 90);
    EXPECT_EQ(bytes.size() % 8, 0U);
    const auto entries = read_containers(std::as_bytes(std::span(bytes)), 0, "own");
    ASSERT_TRUE(entries);
    ASSERT_EQ(entries->size(), 1U);
    EXPECT_EQ(entries->front().kind, Kind::kPtx);
    EXPECT_EQ(entries->front().sm, 90U);
    EXPECT_EQ(unpack(entries->front()).value(), ptx);
    EXPECT_FALSE(choose_ptx(*entries, 90).empty());
    EXPECT_TRUE(choose_ptx(*entries, 80).empty());
  }
}

TEST(Writer, ContainersFollowEachOther) {
  const std::string bytes = write_container("first", 75) + write_container("second", 80);
  const auto entries = read_containers(std::as_bytes(std::span(bytes)), 0, "own");
  ASSERT_TRUE(entries);
  ASSERT_EQ(entries->size(), 2U);
  EXPECT_EQ(unpack(entries->at(1)).value(), "second");
  EXPECT_EQ(entries->at(1).container, 1U);
}

}  // namespace
}  // namespace redflag::fatbin
