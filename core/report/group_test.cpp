#include "core/report/group.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/report/sample_report.h"

namespace redflag {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

TEST(Group, OneVariableIsOneCause) {
  Finding part = sample::write_write();
  part.addr = Addr{raw(part.addr) + 4};
  const std::vector<Cause> causes = by_cause(
      {sample::write_write(), sample::lockset(), sample::read_write(), part, sample::bare()});
  ASSERT_THAT(causes, SizeIs(3));
  EXPECT_THAT(causes[0].findings, ElementsAre(0, 2, 3))
      << "another part of it is the same variable";
  EXPECT_EQ(heading(causes[0]), "3 findings on 'balance'");
  EXPECT_THAT(causes[1].findings, ElementsAre(1));
  EXPECT_EQ(heading(causes[1]), "");
  EXPECT_THAT(causes[2].findings, ElementsAre(4));
}

TEST(Group, MembersAreVariablesAndElementsAreNot) {
  const auto at = [](const char* member) {
    Finding f = sample::live();
    f.origin.member = member;
    return f;
  };
  const std::vector<Cause> causes =
      by_cause({at(".accounts[3].balance"), at(".open"), at(".accounts[12].balance+4"), at("[3]"),
                at("[4]"), at("[4]")});
  ASSERT_THAT(causes, SizeIs(3));
  EXPECT_EQ(heading(causes[0]), "2 findings on 'balance.accounts[].balance'");
  EXPECT_EQ(heading(causes[2]), "3 findings on 'balance'");
}

TEST(Group, MemoryIsKnownByTheLineThatAllocatedIt) {
  Finding one = sample::live_freed();
  Finding other_block = one;
  other_block.addr = other_block.memory.addr = Addr{0x700000};
  Finding other_line = one;
  other_line.memory_stack.back().line += 1;
  Finding unknown = one;
  unknown.memory_stack.clear();
  const std::vector<Cause> causes = by_cause({one, other_block, other_line, unknown, unknown});
  ASSERT_THAT(causes, SizeIs(4));
  EXPECT_EQ(heading(causes[0]), "2 findings on memory allocated in refresh() cache.cpp:15:18");
}

TEST(Group, VariablesOfOneNameInTwoBinariesAreTwo) {
  Finding one = sample::live();
  Finding other = one;
  other.origin.module = "/usr/lib/libbank.so";
  EXPECT_THAT(by_cause({one, other}), SizeIs(2));
}

TEST(Group, MisuseStandsAlone) {
  EXPECT_THAT(by_cause({sample::destroy_locked(), sample::destroy_locked()}), SizeIs(2));
}

}  // namespace
}  // namespace redflag
