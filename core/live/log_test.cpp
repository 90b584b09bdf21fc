// What a log finds again: the right access, at the right address, and nothing that is not there.
//
// A log has places for runs that wait (runs, rows of runs, lists) and a ring for what is closed; both
// are overwritten as time goes on. A report may say "no longer known", and never anything wrong.
#include "core/live/log.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <vector>

namespace redflag::live {
namespace {

constexpr std::uint64_t kAt = 0x10000;
constexpr std::uint64_t kPc = 0x2000;
constexpr std::uint32_t kNode = 7;
constexpr std::uint32_t kCapacity = 64;  // and four lists, four tiles

class LogTest : public testing::Test {
 protected:
  LogTest() {
    contexts_->init(arena_);
    log_.init(arena_, *contexts_, kCapacity);
  }
  ~LogTest() override { arena_.destroy(); }

  static live::Run run_at(std::uint64_t addr, std::uint16_t size = 4, LogKind kind = LogKind::kRead,
                          std::uint64_t clock = 5) {
    return {addr, clock, 3, 0, 0, 1, size, kind, 0, 0};
  }
  void begin(std::uint32_t i, std::uint64_t addr, std::uint16_t size = 4, std::uint64_t clock = 5) {
    log_.begin(i, kPc, kNode, run_at(addr, size, LogKind::kRead, clock));
  }
  bool extend(std::uint32_t i, std::uint64_t addr, std::uint16_t size = 4) {
    return AccessLog::extend(log_.open(i), kPc, kNode, AccessLog::shape_of(size, LogKind::kRead, 0),
                             addr);
  }
  bool gather(std::uint32_t i, std::uint64_t addr, std::uint16_t size = 4) {
    return AccessLog::gather(log_.open(i), kPc, kNode, AccessLog::shape_of(size, LogKind::kRead, 0),
                             addr);
  }
  void walk(std::uint32_t i, const std::vector<std::uint64_t>& addrs) {
    begin(i, addrs[0]);
    ASSERT_TRUE(log_.learn_stride(i, addrs[1]));
    for (std::size_t k = 2; k < addrs.size(); ++k) ASSERT_TRUE(extend(i, addrs[k]));
  }
  // Where the access that touches [addr, addr + n) begins.
  std::optional<std::uint64_t> find(std::uint64_t addr, std::uint64_t n = 1,
                                    std::uint64_t clock = 5, bool writes = false,
                                    bool atomics = false) {
    live::Run found;
    std::uint64_t at = 0;
    if (!log_.find(clock, writes, atomics, addr, n, found, at)) return std::nullopt;
    return at;
  }
  // Of all bytes near by, exactly those of accesses of `size` at `addrs` are found, each there.
  void expect_exactly(const std::vector<std::uint64_t>& addrs, std::uint64_t size) {
    for (std::uint64_t b = kAt - 64; b < kAt + 1024; ++b) {
      std::optional<std::uint64_t> wanted;
      for (const std::uint64_t at : addrs) {
        if (at <= b && b < at + size) wanted = at;
      }
      EXPECT_EQ(find(b), wanted) << "byte +" << static_cast<std::int64_t>(b - kAt);
    }
  }

  Arena arena_;
  std::unique_ptr<Contexts> contexts_ = std::make_unique<Contexts>();
  // Zero to begin with, as the detector's threads are; and too large for a stack.
  std::unique_ptr<AccessLog> owned_ = std::make_unique<AccessLog>();
  AccessLog& log_ = *owned_;
};

class Strides : public LogTest, public testing::WithParamInterface<int> {};

TEST_P(Strides, AreFoundAccessByAccess) {
  const int stride = GetParam();
  std::vector<std::uint64_t> addrs;
  for (int k = 0; k < 6; ++k) addrs.push_back(kAt + 128 + static_cast<std::uint64_t>(k * stride));
  walk(0, addrs);
  const live::Run& run = log_.end(0);
  EXPECT_EQ(run.count, 6U);
  EXPECT_EQ(run.stride, stride);
  if (stride != 3) return expect_exactly(addrs, 4);
  // They overlap: any of two is right.
  for (std::uint64_t b = kAt + 128; b < kAt + 128 + 19; ++b) {
    const auto at = find(b);
    EXPECT_TRUE(at && *at <= b && b < *at + 4) << b;
  }
  EXPECT_FALSE(find(kAt + 128 + 19));
}

INSTANTIATE_TEST_SUITE_P(All, Strides, testing::Values(4, 12, 3, -4, -20));

TEST_F(LogTest, WhatWaitsHasWhatItBeganWith) {
  begin(0, kAt);
  EXPECT_TRUE(log_.single(0));
  EXPECT_TRUE(extend(0, kAt)) << "the same address again";
  EXPECT_TRUE(log_.single(0));
  EXPECT_FALSE(extend(0, kAt + 4)) << "no stride yet";
  EXPECT_TRUE(log_.learn_stride(0, kAt + 4));
  EXPECT_FALSE(log_.single(0));
  EXPECT_FALSE(extend(0, kAt + 12)) << "one was left out";
  EXPECT_FALSE(AccessLog::extend(log_.open(0), kPc + 2, kNode,
                                 AccessLog::shape_of(4, LogKind::kRead, 0), kAt + 8));
  EXPECT_FALSE(extend(0, kAt + 8, 8)) << "another size";
  EXPECT_TRUE(extend(0, kAt + 8));
  EXPECT_FALSE(log_.learn_stride(0, kAt + 16)) << "has one";
}

TEST_F(LogTest, SingleAccessesAreFoundWithAllThatIsKnownOfThem) {
  const auto add = [&](std::uint64_t addr, unsigned size, LogKind kind, std::uint64_t clock) {
    log_.add(
        {Brief::what_of(addr, size, kind, kRunVptr | 5U << kRunOrderShift), kPc, clock, kNode, 9});
  };
  add(kAt, 8, LogKind::kRead, 4);
  add(kAt + 64, 64, LogKind::kRead, 5);
  add(kAt + 512, 1, LogKind::kAtomicWrite, 5);
  add(kAt, 4, LogKind::kWrite, 6);
  live::Run found;
  std::uint64_t at = 0;
  ASSERT_TRUE(log_.find(5, false, false, kAt + 127, 1, found, at));
  EXPECT_EQ(at, kAt + 64);
  EXPECT_EQ(found.size, 64);
  EXPECT_EQ(found.locks, 9U);
  EXPECT_EQ(found.flags, kRunVptr | 5U << kRunOrderShift);
  EXPECT_EQ(found.context, contexts_->child(arena_, kNode, kPc));
  EXPECT_FALSE(find(kAt + 128));
  EXPECT_EQ(find(kAt + 512, 1, 5, true, true), kAt + 512);
  EXPECT_FALSE(find(kAt + 512, 1, 5, true, false)) << "an atomic one";
  EXPECT_FALSE(find(kAt + 4, 1, 4, true)) << "a read";
  EXPECT_EQ(find(kAt + 7, 1, 4), kAt);
  for (std::uint32_t k = 0; k < kCapacity; ++k) add(kAt + 4096 + k, 1, LogKind::kRead, 7);
  EXPECT_FALSE(find(kAt + 7, 1, 4)) << "overwritten";
}

TEST_F(LogTest, StridesTooLongForARunAreNotLearnt) {
  begin(0, kAt);
  EXPECT_FALSE(log_.learn_stride(0, kAt + (std::uint64_t{1} << 33)));
  EXPECT_FALSE(log_.learn_stride(0, kAt - (std::uint64_t{1} << 31))) << "means a list";
}

TEST_F(LogTest, RowsOfATile) {
  std::vector<std::uint64_t> addrs;
  for (std::uint64_t r = 0; r < 5; ++r) {
    const std::uint64_t n = r == 4 ? 2 : 3;  // the last is not complete
    for (std::uint64_t k = 0; k < n; ++k) addrs.push_back(kAt + r * 100 + k * 8);
  }
  walk(0, {addrs[0], addrs[1], addrs[2]});
  for (std::size_t k = 3; k < addrs.size(); ++k) {
    if (!extend(0, addrs[k])) {
      EXPECT_EQ(k % 3, 0U);
      ASSERT_TRUE(log_.next_row(0, addrs[k]));
    }
  }
  const Tile tile = log_.tile(0);
  EXPECT_EQ(tile.rows, 5U);
  EXPECT_EQ(tile.inner, 3U);
  EXPECT_EQ(tile.last, 2U);
  EXPECT_EQ(tile.outer, 100);
  EXPECT_TRUE(log_.may_touch(0, addrs[4], 1));
  const live::Run& run = log_.end(0);
  EXPECT_EQ(run.stride, kTiled);
  EXPECT_EQ(log_.rows(run), 5U);
  expect_exactly(addrs, 4);
}

TEST_F(LogTest, ARowOfAnotherLengthOrPlaceIsNoRow) {
  walk(0, {kAt, kAt + 8, kAt + 16});
  ASSERT_TRUE(log_.next_row(0, kAt + 100));
  EXPECT_TRUE(extend(0, kAt + 108));
  EXPECT_FALSE(log_.next_row(0, kAt + 200)) << "the row before is too short";
  EXPECT_TRUE(extend(0, kAt + 116));
  EXPECT_FALSE(log_.next_row(0, kAt + 201));
  EXPECT_TRUE(log_.next_row(0, kAt + 200));
}

TEST_F(LogTest, AListIsFoundAccessByAccess) {
  const std::vector<std::uint64_t> addrs = {kAt + 100, kAt, kAt + 500, kAt + 97 - 64, kAt + 300};
  log_.begin_list(0, kPc, kNode, run_at(addrs[0]));
  for (std::size_t k = 1; k < addrs.size(); ++k) ASSERT_TRUE(gather(0, addrs[k]));
  EXPECT_FALSE(gather(0, kAt + (std::uint64_t{1} << 40))) << "too far";
  EXPECT_TRUE(log_.may_touch(0, kAt + 503, 4));
  EXPECT_FALSE(log_.may_touch(0, kAt + 504, 4));
  EXPECT_EQ(log_.end(0).count, 5U);
  expect_exactly(addrs, 4);
}

TEST_F(LogTest, AListHasItsRoom) {
  log_.begin_list(0, kPc, kNode, run_at(kAt));
  for (std::uint32_t k = 1; k < AccessLog::kListRoom; ++k) ASSERT_TRUE(gather(0, kAt + k * 16));
  EXPECT_FALSE(gather(0, kAt + 8));
}

TEST_F(LogTest, AnOverwrittenListIsNotFound) {
  for (std::uint32_t i = 0; i < 5; ++i) {
    EXPECT_EQ(log_.next_list_used_by(), 0U);
    log_.begin_list(i, kPc, kNode, run_at(kAt + i * 100));
    ASSERT_TRUE(gather(i, kAt + i * 100 + 50));
    if (i == 3) {
      EXPECT_EQ(log_.next_list_used_by(), 0U) << "list 0 has ended";
    }
    log_.end(i);
  }
  EXPECT_EQ(find(kAt + 50), std::nullopt) << "its room is the fifth list's now";
  for (std::uint64_t i = 1; i < 5; ++i) EXPECT_EQ(find(kAt + i * 100 + 50), kAt + i * 100 + 50);
}

TEST_F(LogTest, ARoomInUseSaysWhose) {
  log_.begin_list(9, kPc, kNode, run_at(kAt));
  for (std::uint32_t i = 0; i < 3; ++i) {
    log_.begin_list(i, kPc, kNode, run_at(kAt));
    log_.end(i);
  }
  EXPECT_EQ(log_.next_list_used_by(), 10U);
  log_.end(9);
  EXPECT_EQ(log_.next_list_used_by(), 0U);
}

TEST_F(LogTest, AnOverwrittenTileIsNotFound) {
  for (std::uint32_t i = 0; i < 5; ++i) {
    const std::uint64_t at = kAt + i * 200;
    walk(i, {at, at + 8, at + 16});
    ASSERT_TRUE(log_.next_row(i, at + 100));
    ASSERT_TRUE(extend(i, at + 108));
    log_.end(i);
  }
  EXPECT_EQ(find(kAt + 108), std::nullopt);
  for (std::uint64_t i = 1; i < 5; ++i) EXPECT_EQ(find(kAt + i * 200 + 108), kAt + i * 200 + 108);
}

TEST_F(LogTest, APlaceThatIsNeededClosesItsRun) {
  walk(0, {kAt, kAt + 8, kAt + 16});
  log_.end(0);
  begin(0, kAt + 500);
  EXPECT_EQ(find(kAt + 8), kAt + 8) << "in the ring now";
  EXPECT_EQ(find(kAt + 500), kAt + 500);
}

TEST_F(LogTest, TheRingForgetsTheOldest) {
  for (std::uint64_t k = 0; k < kCapacity + 10; ++k) log_.close(run_at(kAt + k * 8));
  for (std::uint64_t k = 0; k <= 10; ++k) EXPECT_EQ(find(kAt + k * 8), std::nullopt) << k;
  for (std::uint64_t k = 11; k < kCapacity + 10; ++k) EXPECT_EQ(find(kAt + k * 8), kAt + k * 8);
}

TEST_F(LogTest, OnlyOfThatClockAndKind) {
  log_.close(run_at(kAt, 4, LogKind::kRead, 5));
  log_.close(run_at(kAt, 4, LogKind::kWrite, 6));
  log_.close(run_at(kAt, 8, LogKind::kAtomicWrite, 7));
  log_.close(run_at(kAt, 4, LogKind::kFree, 8));
  EXPECT_TRUE(find(kAt, 1, 5));
  EXPECT_FALSE(find(kAt, 1, 5, true));
  EXPECT_FALSE(find(kAt, 1, 6));
  EXPECT_TRUE(find(kAt, 1, 6, true));
  EXPECT_FALSE(find(kAt, 1, 7, true));
  EXPECT_TRUE(find(kAt, 1, 7, true, true));
  EXPECT_TRUE(find(kAt, 1, 8, true));
  EXPECT_FALSE(find(kAt, 1, 9, true));
}

TEST_F(LogTest, CheckedAccessesGoOnAsARun) {
  for (std::uint64_t k = 0; k < 4; ++k) log_.note(0, kPc, kNode, 1, run_at(kAt + k * 8));
  EXPECT_EQ(log_.run(0).count, 4U);
  expect_exactly({kAt, kAt + 8, kAt + 16, kAt + 24}, 4);
  log_.note(0, kPc, kNode, 2, run_at(kAt + 32, 4, LogKind::kRead, 6));
  EXPECT_EQ(log_.run(0).count, 1U) << "another epoch";
  EXPECT_EQ(find(kAt + 24), kAt + 24);
  EXPECT_EQ(find(kAt + 32), std::nullopt);
  EXPECT_EQ(find(kAt + 32, 1, 6), kAt + 32);
}

TEST_F(LogTest, RangesOfAnySize) {
  log_.add_range(kAt, 100, LogKind::kRead, 5, 3, 0);
  EXPECT_EQ(find(kAt + 99), kAt);
  EXPECT_EQ(find(kAt + 100), std::nullopt);
  EXPECT_EQ(find(kAt - 4, 5), kAt);
  const std::uint64_t far = kAt + (std::uint64_t{5} << 30);
  log_.add_range(kAt + 4096, std::uint64_t{6} << 30, LogKind::kWrite, 6, 3, 0);
  EXPECT_TRUE(find(far, 1, 6, true));
}

TEST_F(LogTest, MayTouchRatherSaysYes) {
  walk(0, {kAt, kAt + 8, kAt + 16});
  for (std::uint64_t b = kAt; b < kAt + 20; ++b) EXPECT_TRUE(log_.may_touch(0, b, 1));
  EXPECT_FALSE(log_.may_touch(0, kAt - 8, 8));
  EXPECT_FALSE(log_.may_touch(0, kAt + 100, 8));
  walk(1, {kAt + 500, kAt + 492, kAt + 484});
  for (std::uint64_t b = kAt + 484; b < kAt + 504; ++b) EXPECT_TRUE(log_.may_touch(1, b, 1));
  EXPECT_FALSE(log_.may_touch(1, kAt + 504, 8));
  EXPECT_FALSE(log_.may_touch(1, kAt + 400, 8));
}

}  // namespace
}  // namespace redflag::live
