#include "sim/mem/gpu/event_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace redflag::sim {
namespace {

TEST(EventQueue, NextFirstAndInOrderAtOneTime) {
  EventQueue<int> queue;
  queue.put(7, 1);
  queue.put(3, 2);
  queue.put(7, 3);
  queue.put(100000, 4);
  std::vector<int> taken;
  while (!queue.empty()) taken.push_back(queue.take());
  EXPECT_EQ(taken, (std::vector<int>{2, 1, 3, 4}));
  EXPECT_EQ(queue.now(), 100000U);
}

TEST(EventQueue, WhatIsPutNowComesBehindWhatIsThere) {
  EventQueue<int> queue;
  queue.put(5, 1);
  queue.put(5, 2);
  EXPECT_EQ(queue.take(), 1);
  queue.put(5, 3);
  EXPECT_EQ(queue.take(), 2);
  EXPECT_EQ(queue.take(), 3);
}

// Against a sorted list, with times near and far.
TEST(EventQueue, RandomTimes) {
  std::mt19937 random(3);
  EventQueue<std::uint64_t> queue;
  std::vector<std::uint64_t> wanted, got;
  for (int round = 0; round < 20000; ++round) {
    if (queue.empty() || random() % 5 < 3) {
      const std::uint64_t far = random() % 10 == 0 ? 50000 : random() % 3 == 0 ? 4200 : 60;
      const std::uint64_t at = queue.now() + random() % far;
      queue.put(at, at);
      wanted.push_back(at);
    } else {
      got.push_back(queue.take());
      EXPECT_EQ(got.back(), queue.now());
    }
  }
  while (!queue.empty()) got.push_back(queue.take());
  EXPECT_TRUE(std::ranges::is_sorted(got));
  std::ranges::sort(wanted);
  EXPECT_EQ(got, wanted);
}

}  // namespace
}  // namespace redflag::sim
