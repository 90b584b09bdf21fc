#include "frontends/cuda/device/compact_limits.h"

#include <gtest/gtest.h>

#include "frontends/cuda/device/compact_state.h"

namespace redflag::device::compact {
namespace {

double value_of(const std::vector<Counter>& all, const std::string& name) {
  for (const Counter& each : all) {
    if (each.name == name) return each.value;
  }
  ADD_FAILURE() << name;
  return 0;
}

TEST(CompactLimits, NumbersAreWhereTheyAreCounted) {
  const auto number = [](std::size_t at) {
    return std::uint64_t{at == offsetof(State, not_compared) ? 7U : 0U};
  };
  const std::vector<Counter> all = limits(number, {.pages_per_line = 4, .launches_in_part = 2});
  EXPECT_EQ(value_of(all, "accesses not compared"), 7);
  EXPECT_EQ(value_of(all, "pages per line of metadata"), 4);
  EXPECT_EQ(value_of(all, "launches checked in part"), 2);
  EXPECT_EQ(value_of(all, "pages not checked"), 0);
}

TEST(CompactLimits, OnlyWhatWasReachedIsSaid) {
  EXPECT_TRUE(notices_of(limits([](std::size_t) { return std::uint64_t{0}; }, {})).empty());
  const std::vector<std::string> said =
      notices_of(limits([](std::size_t) { return std::uint64_t{0}; }, {.copies_not_compared = 3}));
  ASSERT_EQ(said.size(), 1U);
  EXPECT_EQ(said[0], "copies not compared: 3 (more than 16 copies ran beside one launch)");
}

}  // namespace
}  // namespace redflag::device::compact
