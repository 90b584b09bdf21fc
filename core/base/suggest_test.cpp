#include "core/base/suggest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace redflag {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(EditDistance, CountsTheSteps) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("replay", "replay"), 0U);
  EXPECT_EQ(edit_distance("relpay", "replay"), 1U);  // a swap is one slip
  EXPECT_EQ(edit_distance("reply", "replay"), 1U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
}

TEST(Nearest, GivesTheClosestFirst) {
  const std::vector<std::string> words{"replay", "report", "doctor", "help"};
  EXPECT_THAT(nearest("relpay", words), ElementsAre("replay"));
  EXPECT_THAT(nearest("repotr", words), ElementsAre("report"));
  EXPECT_THAT(nearest("doc", words), ElementsAre("doctor"));
  EXPECT_THAT(nearest("xyzzy", words), IsEmpty());
  EXPECT_THAT(nearest("", words), IsEmpty());
  EXPECT_THAT(nearest(std::string(100000, 'r'), words), IsEmpty());
}

TEST(DidYouMean, ReadsAsASentence) {
  EXPECT_EQ(did_you_mean({}), "");
  EXPECT_EQ(did_you_mean({"a"}), "; did you mean 'a'?");
  EXPECT_EQ(did_you_mean({"a", "b", "c"}), "; did you mean 'a', 'b' or 'c'?");
}

}  // namespace
}  // namespace redflag
