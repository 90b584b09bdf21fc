#include "cli/hold_board.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <filesystem>

#include "frontends/cpu/wire/hold.h"

namespace redflag::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// As the program would map it.
class Mapped {
 public:
  explicit Mapped(const HoldBoard& board) : fd_(::open(board.path().c_str(), O_RDWR)) {
    board_ = static_cast<wire::HoldBoard*>(
        ::mmap(nullptr, sizeof(wire::HoldBoard), PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0));
  }
  ~Mapped() {
    ::munmap(board_, sizeof(wire::HoldBoard));
    ::close(fd_);
  }
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;
  wire::HoldBoard* operator->() const { return board_; }

 private:
  int fd_;
  wire::HoldBoard* board_;
};

class Board : public ::testing::Test {
 protected:
  std::string self_ = std::filesystem::canonical("/proc/self/exe").string();
  std::vector<confirm::Pair> pairs_{{0, {{{{self_, 16, 17}}, {{self_, 32, 33}, {self_, 48, 50}}}}},
                                    {1, {{{{self_, 64, 65}}, {{self_, 64, 65}}}}}};
  symbolize::Symbolizer symbolizer_;

  static confirm::Trial trial() {
    confirm::Trial made;
    made.attempts = {{1, {true, false}, true, {{{{2, 7}}, {}}}, confirm::Defer::kReversed},
                     {0, {true, true}, false, {}, {}}};
    made.patience = 40;
    made.budget = 240;
    made.seed = 5;
    return made;
  }
};

TEST_F(Board, SaysWhatTheTrialSays) {
  const Result<HoldBoard> made = HoldBoard::make(trial(), pairs_, symbolizer_);
  ASSERT_TRUE(made) << made.error().message;
  const Mapped board(*made);
  EXPECT_EQ(board->magic, wire::kHoldMagic);
  EXPECT_EQ(board->patience, 40000U);
  EXPECT_EQ(board->budget, 240000U);
  EXPECT_EQ(board->pairs, 2U);
  EXPECT_EQ(board->modules, 1U);
  EXPECT_EQ(board->module[0].path, self_);
  ASSERT_EQ(board->statements, 5U);
  EXPECT_EQ(board->statement[0].begin, 64U) << "in the order of the attempts";
  EXPECT_EQ(board->statement[4].end, 50U);
  EXPECT_EQ(board->statement[4].side, 3U);
  EXPECT_EQ(board->side[0].held, 1U);
  EXPECT_EQ(board->side[0].only_hints, 1U);
  EXPECT_EQ(board->side[0].hint[0].count, 7U);
  EXPECT_EQ(board->side[0].defer, std::uint32_t{wire::kHoldReversed});
  EXPECT_EQ(board->side[2].defer, std::uint32_t{wire::kHoldAtOnce});
  EXPECT_EQ(board->side[1].held, 0U);
  EXPECT_EQ(board->side[1].only_hints, 0U) << "there are none";
  EXPECT_EQ(board->strong, 0U);
}

TEST_F(Board, GivesBackWhatHappened) {
  const Result<HoldBoard> made = HoldBoard::make(trial(), pairs_, symbolizer_);
  ASSERT_TRUE(made);
  {
    const Mapped board(*made);
    board->processes = 2;
    board->pair[1].met = 1;
    board->pair[1].place[1] = {{0x80010000, 4}, 77, 0, {1000, 16, 3, 8}};
    board->side[0].arrivals = 3;
    board->side[1].learned = 0xffffffff;  // whatever the program wrote there
    board->side[1].learn[0] = {4, 9};
  }
  EXPECT_EQ(made->processes(), 2U);
  const std::vector<confirm::Outcome> outcomes = made->outcomes();
  ASSERT_EQ(outcomes.size(), 2U);
  EXPECT_FALSE(outcomes[0].met);
  EXPECT_THAT(outcomes[0].reached, ElementsAre(true, false));
  ASSERT_EQ(outcomes[0].learned[1].size(), wire::kHoldHints);
  EXPECT_EQ(outcomes[0].learned[1][0], (confirm::Arrival{4, 9}));
  EXPECT_TRUE(outcomes[1].met);
  EXPECT_EQ(outcomes[1].places[1].arrival, (confirm::Arrival{0x80010000, 4}));
  EXPECT_EQ(outcomes[1].places[1].begin, 1000U);
  EXPECT_EQ(outcomes[1].places[1].end, 1040U) << "the last of three elements";
}

TEST_F(Board, WhatDoesNotFitIsTold) {
  pairs_[0].sides[0].assign(wire::kHoldStatements + 1, {self_, 1, 2});
  const Result<HoldBoard> made = HoldBoard::make(trial(), pairs_, symbolizer_);
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().message, HasSubstr("too many places"));
  pairs_[0].sides[0] = {{"/no/such/file", 1, 2}};
  EXPECT_FALSE(HoldBoard::make(trial(), pairs_, symbolizer_));
}

}  // namespace
}  // namespace redflag::cli
