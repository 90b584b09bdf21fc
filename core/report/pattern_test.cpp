#include "core/report/pattern.h"

#include <gtest/gtest.h>

namespace redflag {
namespace {

bool matches(std::string_view pattern, std::string_view name) {
  return Pattern(pattern).matches(name);
}

TEST(Pattern, FoundAnywhereUnlessTied) {
  EXPECT_TRUE(matches("bar", "foobarbaz"));
  EXPECT_FALSE(matches("bar", "foo"));
  EXPECT_TRUE(matches("^foo", "foobar"));
  EXPECT_FALSE(matches("^bar", "foobar"));
  EXPECT_TRUE(matches("bar$", "foobar"));
  EXPECT_FALSE(matches("foo$", "foobar"));
  EXPECT_TRUE(matches("^foobar$", "foobar"));
  EXPECT_FALSE(matches("^foobar$", "foobars"));
}

TEST(Pattern, Stars) {
  EXPECT_TRUE(matches("f*r", "foobar"));
  EXPECT_TRUE(matches("*", "x"));
  EXPECT_TRUE(matches("^*$", "x"));
  EXPECT_TRUE(matches("^a*a$", "aa"));
  EXPECT_FALSE(matches("^a*a$", "a")) << "the two ends may not share a character";
  EXPECT_TRUE(matches("^a*b*c$", "a-b-bc"));
  EXPECT_FALSE(matches("^a*b*c$", "a-c-b"));
  EXPECT_TRUE(matches("a**b", "ab"));
  EXPECT_FALSE(matches("b*a", "ab"));
}

TEST(Pattern, AnchorsElsewhereAreOrdinary) {
  EXPECT_TRUE(matches("operator^=", "T::operator^=(T)"));
  EXPECT_TRUE(matches("a$b", "a$b"));
}

TEST(Pattern, EmptyNamesAreNeverMatched) {
  EXPECT_FALSE(matches("*", ""));
  EXPECT_FALSE(matches("^$", ""));
}

TEST(Pattern, ExactlyMatchesTheNameAndNoOther) {
  for (const std::string name :
       {"f", "^", "$", "f(char*)", "operator^", "a$", " spaced ", "two\nlines", "#x"}) {
    const std::string pattern = Pattern::exactly(name);
    EXPECT_TRUE(matches(pattern, name)) << pattern;
    EXPECT_FALSE(matches(pattern, "x" + name)) << pattern;
    EXPECT_FALSE(matches(pattern, name + "x")) << pattern;
    EXPECT_EQ(pattern.find('\n'), std::string::npos);
  }
}

TEST(Pattern, AStarOfANameIsAStar) {
  EXPECT_EQ(Pattern::exactly("operator*"), "^operator\\*$");
  EXPECT_TRUE(matches("^operator\\*$", "operator*"));
  EXPECT_FALSE(matches("^operator\\*$", "operator+"));
  EXPECT_FALSE(matches(Pattern::exactly("f(Account*)"), "f(Account, Journal)"));
  EXPECT_FALSE(matches(Pattern::exactly("f(char**)"), "f(char*)"));
  EXPECT_TRUE(matches("a\\b", "a\\b")) << "before anything else a backslash is one";
  EXPECT_TRUE(matches("^a\\**$", "a*bc")) << "a star, then anything";
  EXPECT_TRUE(matches(Pattern::exactly("back\\"), "back\\"));
  EXPECT_TRUE(matches(Pattern::exactly("back\\*"), "back\\*"));
  EXPECT_TRUE(matches(Pattern::exactly("back\\\n"), "back\\\n"));
}

TEST(Pattern, WhatDoesNotFitLosesParametersOrTheMiddle) {
  const std::string function = "bank::transfer(" + std::string(200, 'p') + ", int*)";
  EXPECT_EQ(Pattern::exactly(function, 60), "^bank::transfer(*$");
  EXPECT_EQ(Pattern::exactly("void " + function, 60), "^* bank::transfer(*$");
  EXPECT_FALSE(matches("^* bank::transfer(*$", "void other_bank::transfer(int)"));
  EXPECT_EQ(Pattern::exactly("f(int)", 60), "^f(int)$");
  for (const std::string& name :
       {function, "void " + function, std::string(500, '*'),
        "\xC3\xA9" + std::string(300, 'e') + "\xC3\xA9", std::string(300, '<') + "("}) {
    for (std::size_t most = 10; most < 80; ++most) {
      const std::string pattern = Pattern::exactly(name, most);
      EXPECT_LE(pattern.size(), most);
      EXPECT_TRUE(matches(pattern, name)) << pattern;
      EXPECT_FALSE(matches(pattern, "other" + std::string(200, 'o'))) << pattern;
    }
  }
}

TEST(Pattern, ManyStarsStayCheap) {
  std::string pattern;
  for (int i = 0; i < 2000; ++i) pattern += "a*";
  pattern += "b$";
  EXPECT_FALSE(matches(pattern, std::string(4000, 'a')));
}

}  // namespace
}  // namespace redflag
