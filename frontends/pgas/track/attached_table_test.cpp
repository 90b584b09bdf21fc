#include "frontends/pgas/track/attached_table.h"

#include <gtest/gtest.h>

#include <memory>

namespace redflag::pgas {
namespace {

struct Table : AttachedTable {
  Reach reach(std::uint64_t begin, std::uint64_t end) const {
    return reach_of(std::span(regions.data(), count), begin, end);
  }
};

std::unique_ptr<Table> empty() {
  return std::make_unique<Table>();
}

TEST(AttachedTable, WhatIsAttachedIsReached) {
  const auto table = empty();
  EXPECT_EQ(table->reach(100, 108), Reach::kNever);
  table->attach(100, 200);
  EXPECT_EQ(table->reach(100, 200), Reach::kAttached);
  EXPECT_EQ(table->reach(192, 201), Reach::kBeyond);
  EXPECT_EQ(table->reach(99, 108), Reach::kNever);
  EXPECT_EQ(table->reach(200, 208), Reach::kNever);
}

TEST(AttachedTable, RegionsThatTouchAreOne) {
  const auto table = empty();
  table->attach(200, 300);
  table->attach(100, 200);
  EXPECT_EQ(table->reach(150, 250), Reach::kAttached);
  table->detach(200);
  EXPECT_EQ(table->reach(150, 250), Reach::kDetached);
}

TEST(AttachedTable, DetachedIsRememberedUntilAttachedAgain) {
  const auto table = empty();
  table->attach(100, 200);
  table->detach(100);
  EXPECT_EQ(table->reach(100, 108), Reach::kDetached);
  table->attach(150, 160);
  EXPECT_EQ(table->reach(150, 158), Reach::kAttached);
  EXPECT_EQ(table->reach(100, 108), Reach::kNever);
}

TEST(AttachedTable, DetachedRegionsMakeRoom) {
  const auto table = empty();
  for (std::uint64_t i = 0; i < 3 * AttachedTable::kRoom; ++i) {
    table->attach(i * 16, i * 16 + 8);
    if (i >= AttachedTable::kRoom / 2) table->detach((i - AttachedTable::kRoom / 2) * 16);
  }
  EXPECT_EQ(table->is_too_small, 0U);
  EXPECT_EQ(
      table->reach((3 * AttachedTable::kRoom - 1) * 16, (3 * AttachedTable::kRoom - 1) * 16 + 8),
      Reach::kAttached);
  EXPECT_EQ(table->reach(0, 8), Reach::kNever);  // long ago
}

TEST(AttachedTable, FullOfAttachedOnesSaysSo) {
  const auto table = empty();
  for (std::uint64_t i = 0; i <= AttachedTable::kRoom; ++i) table->attach(i * 16, i * 16 + 8);
  EXPECT_EQ(table->is_too_small, 1U);
}

}  // namespace
}  // namespace redflag::pgas
