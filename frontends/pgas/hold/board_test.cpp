#include "frontends/pgas/hold/board.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <thread>

#include "core/model/event.h"

namespace redflag::pgas::hold {
namespace {

using Clock = std::chrono::steady_clock;

// Two ranks on one board, with one pair.
class BoardTest : public ::testing::Test {
 protected:
  BoardTest() {
    shared_->magic = wire::kHoldMagic;
    shared_->pairs = 1;
    shared_->patience = 20'000;
    shared_->budget = 100'000;
    shared_->side[0].held = shared_->side[1].held = 1;
    first_.set_rank(0);
    second_.set_rank(1);
  }

  static Coming at(std::uint32_t side, std::uint32_t count = 1) {
    Coming coming;
    coming.sides = 1U << side;
    coming.arrival[side] = count;
    return coming;
  }
  static Touched memory(std::uint64_t begin, std::uint64_t size, bool writes,
                        std::uint64_t owner = 20) {
    return {owner, {begin, 0, 1, size}, writes};
  }
  bool met() const { return shared_->pair[0].met.load() != 0; }
  bool meets(const Touched& one, const Touched& other) {
    Board::Slot* const slot = first_.post(at(0), one);
    second_.meet(at(1), {&other, 1});
    first_.take_back(slot);
    return met();
  }

  std::unique_ptr<wire::HoldBoard> shared_ = std::make_unique<wire::HoldBoard>();
  Board first_{*shared_, 10};
  Board second_{*shared_, 20};
};

TEST_F(BoardTest, TwoOperationsOnTheSameBytesMeet) {
  EXPECT_TRUE(meets(memory(100, 8, true), memory(104, 8, false)));
  const wire::HoldPair& pair = shared_->pair[0];
  EXPECT_EQ(wire::hold_rank(pair.place[0].arrival.thread), 1U);
  EXPECT_EQ(wire::hold_rank(pair.place[1].arrival.thread), 2U);
  EXPECT_NE(pair.place[0].arrival.thread & wire::kHoldOperation, 0U);
  EXPECT_EQ(pair.place[0].process, 10U);
  EXPECT_EQ(pair.place[0].memory.begin, 100U);
  EXPECT_EQ(pair.place[1].memory.begin, 104U);
  EXPECT_EQ(pair.place[1].kind, static_cast<std::uint32_t>(EventKind::kRead));
}

TEST_F(BoardTest, NextToEachOtherIsNotTogether) {
  EXPECT_FALSE(meets(memory(100, 8, true), memory(108, 8, true)));
}

TEST_F(BoardTest, TheSameAddressOfAnotherRankIsOtherMemory) {
  EXPECT_FALSE(meets(memory(100, 8, true, 10), memory(100, 8, true, 20)));
}

TEST_F(BoardTest, TwoReadsDoNoHarm) {
  EXPECT_FALSE(meets(memory(100, 8, false), memory(100, 8, false)));
}

TEST_F(BoardTest, TwoAtTheSameSideAreNotThePair) {
  Board::Slot* const slot = first_.post(at(0), memory(100, 8, true));
  const Touched other = memory(100, 8, true);
  second_.meet(at(0), {&other, 1});
  first_.take_back(slot);
  EXPECT_FALSE(met());
}

TEST_F(BoardTest, WhatIsCompleteIsMetByNobody) {
  first_.take_back(first_.post(at(0), memory(100, 8, true)));
  const Touched other = memory(100, 8, true);
  second_.meet(at(1), {&other, 1});
  EXPECT_FALSE(met());
}

TEST_F(BoardTest, AThreadThatWaitsIsWokenAndMet) {
  wire::HoldSlot& thread = shared_->slot[3];
  thread.process = 20;
  thread.thread = wire::hold_thread(0, 2);
  thread.sides = 2;
  thread.kind = static_cast<std::uint8_t>(EventKind::kRead);
  thread.space = 20;
  thread.begin = 100;
  thread.count = 1;
  thread.size = 4;
  thread.deadline = ~std::uint64_t{0};
  thread.arrival[1] = 7;
  thread.state = wire::kHoldWaiting;
  const Touched put = memory(96, 16, true);
  first_.meet(at(0, 3), {&put, 1});
  EXPECT_TRUE(met());
  EXPECT_EQ(thread.state.load(), std::uint32_t{wire::kHoldMet});
  EXPECT_EQ(thread.met, 1U) << "its own side";
  EXPECT_EQ(shared_->pair[0].told.load(), 1U) << "so that it does not wait for another to tell";
  EXPECT_EQ(shared_->pair[0].place[0].arrival.count, 3U);
  EXPECT_EQ(shared_->pair[0].place[1].arrival.count, 7U);
}

TEST_F(BoardTest, AWaitEndsWhenNobodyComes) {
  ASSERT_TRUE(first_.arrive(at(0), {}).held);
  Board::Slot* const slot = first_.post(at(0), memory(100, 8, true));
  const Clock::time_point begin = Clock::now();
  first_.wait({&slot, 1}, 1);
  EXPECT_GE(Clock::now() - begin, std::chrono::milliseconds(20));
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(5));
  EXPECT_EQ(shared_->side[0].timeouts, 1U);
  EXPECT_FALSE(first_.arrive(at(0, 2), {}).held) << "the next few pass";
  EXPECT_GE(shared_->spent.load(), 20'000U);
}

TEST_F(BoardTest, AWaitEndsWhenTheOtherCame) {
  shared_->patience = 10'000'000;
  shared_->budget = 100'000'000;
  Board::Slot* const slot = first_.post(at(0), memory(100, 8, true));
  const Clock::time_point begin = Clock::now();
  std::thread other([this] {
    const Touched load = memory(100, 4, false);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    second_.meet(at(1), {&load, 1});
  });
  first_.wait({&slot, 1}, 1);
  other.join();
  EXPECT_TRUE(met());
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(8));
  EXPECT_EQ(shared_->side[0].timeouts, 0U);
}

TEST_F(BoardTest, WithoutBudgetNobodyWaits) {
  shared_->spent = shared_->budget;
  shared_->patience = 10'000'000;
  Board::Slot* const slot = first_.post(at(0), memory(100, 8, true));
  const Clock::time_point begin = Clock::now();
  first_.wait({&slot, 1}, 1);
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(5));
}

// In each run about half of the ranks, and not the same in all.
TEST_F(BoardTest, SomeRanksLetOthersLockFirst) {
  shared_->patience = 2'000;
  const auto waits = [this](Board& board, std::uint64_t seed) {
    shared_->seed = seed;
    shared_->spent = 0;
    board.let_others_lock();
    return shared_->spent.load() != 0;
  };
  for (std::uint64_t seed = 1; seed <= 8; ++seed) EXPECT_FALSE(waits(first_, seed));
  shared_->locks = 1;
  bool first_alone = false;
  bool second_alone = false;
  for (std::uint64_t seed = 1; seed <= 16; ++seed) {
    const bool first = waits(first_, seed);
    const bool second = waits(second_, seed);
    first_alone |= first && !second;
    second_alone |= second && !first;
  }
  EXPECT_TRUE(first_alone);
  EXPECT_TRUE(second_alone);
}

TEST_F(BoardTest, WithHintsOnlyThoseArrivalsAreWorthAWait) {
  shared_->side[0].only_hints = 1;
  shared_->side[0].hints = 1;
  shared_->side[0].hint[0] = {wire::kHoldOperation | 1U << 16, 3};
  EXPECT_FALSE(first_.arrive(at(0, 1), {}).posted);
  EXPECT_FALSE(second_.arrive(at(0, 3), {}).held) << "of another rank";
  EXPECT_TRUE(first_.arrive(at(0, 3), {}).held);
}

TEST_F(BoardTest, ArrivalsThatCameNearAreLearned) {
  for (std::uint32_t i = 1; i <= 100; ++i) {
    const Touched put = memory(1000 + 8 * i, 8, true);
    first_.arrive(at(0, i), {&put, 1});
  }
  const Touched get = memory(1000 + 8 * 77, 8, false);
  EXPECT_EQ(shared_->side[0].learned, 0U);
  second_.arrive(at(1, 5), {&get, 1});
  ASSERT_EQ(shared_->side[0].learned, 1U);
  EXPECT_EQ(shared_->side[0].learn[0].count, 77U);
  EXPECT_EQ(wire::hold_rank(shared_->side[0].learn[0].thread), 1U);
  ASSERT_EQ(shared_->side[1].learned, 1U);
  EXPECT_EQ(shared_->side[1].learn[0].count, 5U);
}

TEST_F(BoardTest, ABoardWhoseHolderDiedHoldsNobody) {
  shared_->lock = 4711;
  EXPECT_EQ(first_.post(at(0), memory(100, 8, true)), nullptr);
  EXPECT_NE(shared_->broken.load(), 0U);
}

TEST_F(BoardTest, AFullBoardTakesNoMore) {
  for (std::uint32_t i = 0; i < wire::kHoldSlots; ++i) {
    ASSERT_NE(first_.post(at(0), memory(100, 8, true)), nullptr);
  }
  EXPECT_EQ(first_.post(at(0), memory(100, 8, true)), nullptr);
}

}  // namespace
}  // namespace redflag::pgas::hold
