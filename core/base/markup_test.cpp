#include "core/base/markup.h"

#include <gtest/gtest.h>

namespace redflag {
namespace {

TEST(Markup, NothingIsLeftThatMeansMarkup) {
  EXPECT_EQ(escaped("a<b>&\"'"), "a&lt;b&gt;&amp;&quot;&#39;");
  EXPECT_EQ(escaped("&amp;"), "&amp;amp;");
  EXPECT_EQ(escaped(""), "");
}

TEST(Markup, OnlyCharactersThatXmlHas) {
  EXPECT_EQ(escaped(std::string_view("a\n\tb\x01\x1b[0m\0c", 11)), "a\n\tb??[0m?c");
  EXPECT_EQ(escaped("\xC3\xA9"), "\xC3\xA9");
}

}  // namespace
}  // namespace redflag
