// What a log finds again: the right access, at the right address, and nothing that is not there.
//
// Rings are overwritten as time goes on. A report may say "no longer known", and never anything wrong.
#include "core/live/log.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <vector>

namespace redflag::live {
namespace {

constexpr std::uint64_t kAt = 0x10000;
constexpr std::uint64_t kLogPc = 0x2000;
constexpr std::uint32_t kNode = 7;
constexpr std::uint32_t kCapacity = 64;

class LogTest : public testing::Test {
 protected:
  LogTest() {
    contexts_->init(arena_);
    log_.init(arena_, *contexts_, kCapacity);
  }
  ~LogTest() override { arena_.destroy(); }

  void walk(std::uint64_t first, std::int64_t stride, std::uint32_t count, std::uint32_t size) {
    live::Run run;
    run.first = first;
    run.clock = 5;
    run.stride = stride;
    run.count = count;
    run.size = size;
    log_.add(run);
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
  walk(addrs[0], stride, 6, 4);
  if (stride != 3) return expect_exactly(addrs, 4);
  // They overlap: any of two is right.
  for (std::uint64_t b = kAt + 128; b < kAt + 128 + 19; ++b) {
    const auto at = find(b);
    EXPECT_TRUE(at && *at <= b && b < *at + 4) << b;
  }
  EXPECT_FALSE(find(kAt + 128 + 19));
}

INSTANTIATE_TEST_SUITE_P(All, Strides, testing::Values(4, 12, 3, -4, -20));

TEST_F(LogTest, ARangeIsOneAccess) {
  live::Run run;
  run.first = kAt;
  run.clock = 5;
  run.count = 100;
  log_.add(run);
  EXPECT_EQ(find(kAt + 99), kAt);
  EXPECT_FALSE(find(kAt + 100));
  EXPECT_FALSE(find(kAt, 1, 4));
}

TEST_F(LogTest, SingleAccessesAreFoundWithAllThatIsKnownOfThem) {
  const auto add = [&](std::uint64_t addr, unsigned size, LogKind kind, std::uint64_t clock) {
    log_.add(Brief{Brief::what_of(addr, size, kind, kRunVptr | 5U << kRunOrderShift), kLogPc, clock,
                   kNode, 9});
  };
  add(kAt, 8, LogKind::kRead, 4);
  add(kAt + 64, 64, LogKind::kRead, 5);
  add(kAt + 512, 1, LogKind::kAtomicWrite, 5);
  add(kAt, 4, LogKind::kWrite, 6);
  live::Run found;
  std::uint64_t at = 0;
  ASSERT_TRUE(log_.find(5, false, false, kAt + 127, 1, found, at));
  EXPECT_EQ(at, kAt + 64);
  EXPECT_EQ(found.size, 64U);
  EXPECT_EQ(found.locks, 9U);
  EXPECT_EQ(found.flags, kRunVptr | 5U << kRunOrderShift);
  EXPECT_EQ(found.context, contexts_->child(arena_, kNode, kLogPc));
  EXPECT_FALSE(find(kAt + 128));
  EXPECT_EQ(find(kAt + 512, 1, 5, true, true), kAt + 512);
  EXPECT_FALSE(find(kAt + 512, 1, 5, true, false)) << "an atomic one";
  EXPECT_FALSE(find(kAt + 4, 1, 4, true)) << "a read";
  EXPECT_EQ(find(kAt + 7, 1, 4), kAt);
  for (std::uint32_t k = 0; k < kCapacity; ++k) add(kAt + 4096 + k, 1, LogKind::kRead, 7);
  EXPECT_FALSE(find(kAt + 7, 1, 4)) << "overwritten";
}

TEST_F(LogTest, OverwrittenRunsAreNotFound) {
  walk(kAt, 0, 1, 8);
  EXPECT_TRUE(find(kAt));
  for (std::uint32_t k = 0; k < kCapacity; ++k) walk(kAt + 4096 + k * 8, 0, 1, 8);
  EXPECT_FALSE(find(kAt));
}

}  // namespace
}  // namespace redflag::live
