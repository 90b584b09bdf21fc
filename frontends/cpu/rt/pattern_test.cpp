// The runtime's patterns mean what the reporter's mean, for every short pattern and name.
#include "frontends/cpu/rt/pattern.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/report/pattern.h"

namespace redflag::rt {
namespace {

// All words of up to `most` characters of the alphabet.
std::vector<std::string> words(const std::string& alphabet, std::size_t most) {
  std::vector<std::string> all{""};
  for (std::size_t begin = 0, length = 1; length <= most; ++length) {
    const std::size_t end = all.size();
    for (std::size_t i = begin; i < end; ++i) {
      for (const char c : alphabet) all.push_back(all[i] + c);
    }
    begin = end;
  }
  return all;
}

TEST(Pattern, IsTheReporters) {
  const std::vector<std::string> names = words("ab", 4);
  for (const std::string& pattern : words("ab*^$", 4)) {
    const Pattern reporters(pattern);
    for (const std::string& name : names) {
      EXPECT_EQ(pattern_matches(pattern, name), reporters.matches(name)) << pattern << " " << name;
    }
  }
}

TEST(Pattern, NamesLibraries) {
  EXPECT_TRUE(pattern_matches("libplain.so", "/usr/lib/libplain.so"));
  EXPECT_TRUE(pattern_matches("^/usr/*/libplain.so$", "/usr/lib/libplain.so"));
  EXPECT_FALSE(pattern_matches("^libplain.so", "/usr/lib/libplain.so"));
}

}  // namespace
}  // namespace redflag::rt
