#include "frontends/pgas/hold/combs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace redflag::pgas::hold {
namespace {

std::set<std::uint64_t> bytes(const std::vector<wire::HoldMemory>& made) {
  std::set<std::uint64_t> all;
  for (const wire::HoldMemory& m : made) {
    for (std::uint64_t k = 0; k < m.count; ++k) {
      for (std::uint64_t b = 0; b < m.size; ++b) all.insert(m.begin + k * m.step + b);
    }
  }
  return all;
}

std::set<std::uint64_t> bytes(std::uint64_t base, const std::vector<Piece>& pieces) {
  std::set<std::uint64_t> all;
  for (const Piece& piece : pieces) {
    for (std::uint64_t b = 0; b < piece.size; ++b) all.insert(base + piece.offset + b);
  }
  return all;
}

TEST(Combs, WhatLiesTogetherIsOne) {
  const std::vector<Piece> pieces{{0, 4}, {4, 8}, {12, 4}};
  const auto made = combs(1000, pieces);
  ASSERT_EQ(made.size(), 1U);
  EXPECT_EQ(made[0].begin, 1000U);
  EXPECT_EQ(made[0].size, 16U);
  EXPECT_EQ(made[0].count, 1U);
}

TEST(Combs, RowsAreAComb) {
  std::vector<Piece> pieces;
  for (std::uint64_t i = 0; i < 1000; ++i) pieces.push_back({64 * i, 8});
  const auto made = combs(1 << 20, pieces);
  ASSERT_EQ(made.size(), 1U);
  EXPECT_EQ(made[0].step, 64U);
  EXPECT_EQ(made[0].count, 1000U);
  EXPECT_EQ(bytes(made), bytes(1 << 20, pieces));
}

TEST(Combs, OffsetsBelowZeroAndAnyOrder) {
  const std::vector<Piece> pieces{{0, 8}, {static_cast<std::uint64_t>(-32), 8}, {32, 8}};
  const auto made = combs(4096, pieces);
  ASSERT_EQ(made.size(), 1U);
  EXPECT_EQ(made[0].begin, 4064U);
  EXPECT_EQ(bytes(made), bytes(4096, pieces));
}

TEST(Combs, IrregularOnesKeepTheirBytesAndNoOthers) {
  const std::vector<Piece> pieces{{0, 4}, {16, 8}, {32, 8}, {100, 1}, {300, 2}};
  EXPECT_EQ(bytes(combs(64, pieces)), bytes(64, pieces));
}

TEST(Combs, OfVeryManyTheFirstOnes) {
  std::vector<Piece> pieces;
  for (std::uint64_t i = 0; i < 64; ++i) pieces.push_back({i * i * 32, 4 + i % 3});
  const auto made = combs(0, pieces);
  EXPECT_EQ(made.size(), kMostCombs);
  const std::set<std::uint64_t> all = bytes(0, pieces);
  for (const std::uint64_t byte : bytes(made)) EXPECT_TRUE(all.contains(byte)) << byte;
}

}  // namespace
}  // namespace redflag::pgas::hold
