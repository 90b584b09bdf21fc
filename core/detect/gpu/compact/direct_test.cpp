#include "core/detect/gpu/compact/direct.h"

#include <gtest/gtest.h>

#include "core/detect/gpu/compact/rules.h"

namespace redflag::gpu::compact {
namespace {

constexpr Epoch kSomebody{7, 3, 31, 99};

TEST(Direct, AWordOfTheLaunchIsOfAllBytes) {
  const Word word = Word::of(Kind::kBlockReaders, 15, 1234, kSomebody);
  for (std::uint32_t i = 1; i <= Direct::kLastStamp; ++i) {
    const Direct stamp{i};
    EXPECT_EQ(Word{stamp.put(word)}.bytes(), i);
    EXPECT_EQ(stamp.take(stamp.put(word)), word);
  }
}

TEST(Direct, AWordOfAnotherLaunchIsEmpty) {
  const std::uint64_t bits = Direct{5}.put(Word::of(Kind::kPlain, 15, 1, kSomebody));
  EXPECT_FALSE(Direct{4}.take(bits));
  EXPECT_FALSE(Direct{15}.take(bits));
  EXPECT_FALSE(Direct{1}.take(0));
}

TEST(Direct, WhatIsEmptyHasNoStamp) {
  EXPECT_EQ(Direct{9}.put({}), 0U);
}

TEST(Direct, WithoutAStampWordsAreAsTheyAre) {
  const Word word = Word::of(Kind::kAtomic, 3, 1, kSomebody);
  EXPECT_EQ(Direct{}.put(word), word.bits);
  EXPECT_EQ(Direct{}.take(word.bits), word);
}

// Rules see no difference.
TEST(Direct, RulesDecideTheSame) {
  const Direct stamp{3};
  const Word other = Word::of(Kind::kPlain, 15, 1, kSomebody);
  Access access;
  access.at = {8, 0, 0, 1};
  access.writes = true;
  const auto never = [](const Epoch&) { return false; };
  const Cell cell{stamp.take(stamp.put(other)), {}};
  EXPECT_EQ(decide(cell, access, never).verdict, Verdict::kWithWrite);
  const Cell old{Direct{4}.take(stamp.put(other)), {}};
  EXPECT_EQ(decide(old, access, never).verdict, Verdict::kFine);
}

}  // namespace
}  // namespace redflag::gpu::compact
