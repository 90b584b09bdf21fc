#include "frontends/pgas/hold/holder.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <memory>

namespace redflag::pgas::hold {
namespace {

using ::testing::ElementsAre;

constexpr std::uint64_t kWindow = 5;

// A rank whose calls come from two statements of this very program.
class HolderTest : public ::testing::Test {
 protected:
  HolderTest() {
    board_->magic = wire::kHoldMagic;
    board_->pairs = 1;
    board_->patience = 1000;
    board_->budget = 1000;
    board_->modules = 1;
    const std::string self = std::filesystem::canonical("/proc/self/exe").string();
    std::memcpy(board_->module[0].path, self.c_str(), self.size() + 1);
    Dl_info info{};
    ::dladdr(&g_code, &info);
    const std::uint64_t base = reinterpret_cast<std::uint64_t>(info.dli_fbase);
    for (std::uint32_t side = 0; side < 2; ++side) {
      const std::uint64_t at =
          reinterpret_cast<std::uint64_t>(&g_code[std::size_t{8} * side]) - base;
      board_->statement[board_->statements++] = {at, at + 1, 0, side};
    }
    holder_ = std::make_unique<Holder>(std::make_unique<Board>(*board_, 10), 0);
    holder_->window_made(kWindow, {{0, {10, 0x1000, 4}}, {1, {20, 0x9000, 4}}});
  }

  // An operation of one integer at `displacement` of rank 1.
  void issue(std::uint32_t side, std::uint64_t number, std::int64_t displacement,
             AccessKind kind = AccessKind::kPut) {
    const LibraryCall call(nullptr, nullptr, &g_code[std::size_t{8} * side + 1]);
    const Piece piece{0, 4};
    const OriginBuffer buffer{
        0x500000 + 64 * number, std::span(&piece, 1),
        kind == AccessKind::kGet ? AccessKind::kOriginWrite : AccessKind::kOriginRead};
    TargetAccess target;
    target.rank = 1;
    target.window = target.group = kWindow;
    target.displacement = displacement;
    target.pieces = std::span(&piece, 1);
    target.kind = kind;
    holder_->issue(call, number, std::span(&buffer, 1), &target, kind == AccessKind::kGet);
  }
  bool met() const { return board_->pair[0].met.load() != 0; }
  int waiting() const {
    int n = 0;
    for (const wire::HoldSlot& slot : board_->slot) n += slot.state.load() == wire::kHoldWaiting;
    return n;
  }

  static inline char g_code[32];  // addresses that calls "return" to
  std::unique_ptr<wire::HoldBoard> board_ = std::make_unique<wire::HoldBoard>();
  std::unique_ptr<Holder> holder_;
};

TEST_F(HolderTest, AnOperationIsPendingUntilItIsComplete) {
  issue(0, 1, 3);
  EXPECT_EQ(waiting(), 2) << "its buffer and the target";
  holder_->complete(Completes::kLocally, kWindow, {});
  EXPECT_EQ(waiting(), 1) << "a put is complete at the target later";
  holder_->complete(Completes::kRemotely, kWindow, 0);
  EXPECT_EQ(waiting(), 1) << "another target";
  holder_->complete(Completes::kRemotely, kWindow, 1);
  EXPECT_EQ(waiting(), 0);
}

TEST_F(HolderTest, AGetIsCompleteWhenItsBufferIs) {
  issue(0, 1, 3, AccessKind::kGet);
  holder_->complete_operation(Completes::kLocally, 1);
  EXPECT_EQ(waiting(), 0);
}

TEST_F(HolderTest, TwoPendingAtOnceMeet) {
  issue(0, 1, 3);
  issue(1, 2, 3);
  EXPECT_TRUE(met());
  EXPECT_EQ(board_->pair[0].place[0].memory.begin, 0x9000U + 12) << "in the owner's memory";
}

TEST_F(HolderTest, OneAfterTheOtherDoNot) {
  issue(0, 1, 3);
  holder_->complete(Completes::kRemotely, kWindow, {});
  issue(1, 2, 3);
  EXPECT_FALSE(met());
}

TEST_F(HolderTest, OtherPlacesOfTheProgramAreLeftAlone) {
  const LibraryCall call(nullptr, nullptr, &g_code[20]);
  TargetAccess target;
  holder_->issue(call, 1, {}, &target, false);
  EXPECT_EQ(waiting(), 0);
  EXPECT_FALSE(holder_->defers(1));
}

TEST_F(HolderTest, WhatIsDeferredIsDoneWhenItHasToBe) {
  std::vector<int> done;
  board_->side[0].defer = wire::kHoldDeferred;
  for (int i = 1; i <= 3; ++i) {
    issue(0, static_cast<std::uint64_t>(i), i);
    ASSERT_TRUE(holder_->defers(static_cast<std::uint64_t>(i)));
    holder_->defer(static_cast<std::uint64_t>(i), [&done, i] { done.push_back(i); }, false);
  }
  EXPECT_TRUE(done.empty());
  holder_->complete(Completes::kRemotely, kWindow, {});
  EXPECT_THAT(done, ElementsAre(1, 2, 3));
  holder_->run_deferred();
  EXPECT_EQ(done.size(), 3U) << "once";
}

TEST_F(HolderTest, ReversedButForThoseThatKeepTheirOrder) {
  std::vector<int> done;
  board_->side[0].defer = wire::kHoldReversed;
  for (int i = 1; i <= 5; ++i) {
    issue(0, static_cast<std::uint64_t>(i), i);
    const bool keeps_order = i == 2 || i == 3;  // accumulates of one origin
    holder_->defer(static_cast<std::uint64_t>(i), [&done, i] { done.push_back(i); }, keeps_order);
  }
  holder_->run_deferred();
  EXPECT_THAT(done, ElementsAre(5, 2, 3, 4, 1));
}

TEST_F(HolderTest, MemoryOfAnotherRankIsNamedByItsOwner) {
  holder_->mapped(0x700000, 0x100, {20, 0x9000, 1});
  std::uint64_t process = 10;
  std::uint64_t address = 0x700010;
  Holder::name_owner(&process, &address);
  EXPECT_EQ(process, 20U);
  EXPECT_EQ(address, 0x9010U);
  process = 10;
  address = 0x700100;
  Holder::name_owner(&process, &address);
  EXPECT_EQ(process, 10U) << "just behind it";
  EXPECT_EQ(address, 0x700100U);
}

}  // namespace
}  // namespace redflag::pgas::hold
