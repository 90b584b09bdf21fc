#include "confirm/pairs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace redflag::confirm {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

CodeFrame frame(std::string function, std::string file, std::uint32_t line, std::string module = {},
                std::uint64_t offset = 0) {
  CodeFrame made(std::move(function), std::move(file), line, 3);
  made.module = std::move(module);
  made.offset = offset;
  return made;
}

Finding finding(Stack first, Stack second) {
  Finding made;
  made.rule = Rule::kWriteWrite;
  made.first.thread_name = "T1";
  made.first.stack = std::move(first);
  made.second.thread_name = "T2";
  made.second.stack = std::move(second);
  return made;
}

Locator locator() {
  Locator made;
  made.module = [](const std::string& path) { return path == "/old" ? std::string() : path; };
  made.by_line = [](const Frame& place) {
    if (place.line == 99) return std::vector<Statement>{};
    return std::vector<Statement>{{"/prog", place.line * 16ULL, place.line * 16ULL + 4},
                                  {"/prog", place.line * 32ULL, place.line * 32ULL + 4}};
  };
  return made;
}

Pairs pairs_of(Finding one) {
  Report report;
  report.findings.push_back(std::move(one));
  return find_pairs(report, locator());
}

TEST(Pairs, LiveStacksAreExact) {
  const Pairs found = pairs_of(
      finding({frame("f", "a.c", 1, "/prog", 0x10)}, {frame("g", "a.c", 2, "/lib.so", 0x20)}));
  ASSERT_EQ(found.pairs.size(), 1U);
  EXPECT_THAT(found.pairs[0].sides[0], ElementsAre(Statement{"/prog", 0x10, 0x11}));
  EXPECT_THAT(found.pairs[0].sides[1], ElementsAre(Statement{"/lib.so", 0x20, 0x21}));
  EXPECT_THAT(found.why_not, ElementsAre(IsEmpty()));
}

TEST(Pairs, TracesGoByLineToAllPlaces) {
  const Pairs found = pairs_of(finding({frame("f", "a.c", 1)}, {frame("g", "a.c", 2)}));
  ASSERT_EQ(found.pairs.size(), 1U);
  EXPECT_THAT(found.pairs[0].sides[0],
              ElementsAre(Statement{"/prog", 16, 20}, Statement{"/prog", 32, 36}));
}

TEST(Pairs, OfALibraryFunctionTheCallCounts) {
  const Stack live{frame("memcpy", "", 0, "/prog", 0x1000), frame("copy", "a.c", 7, "/prog", 0x77),
                   frame("main", "a.c", 8, "/prog", 0x88)};
  const Stack trace{frame("memcpy", "", 0), frame("copy", "a.c", 7)};
  const Pairs found = pairs_of(finding(live, trace));
  ASSERT_EQ(found.pairs.size(), 1U);
  // No access is at a function's entry, so that one does no harm.
  EXPECT_THAT(found.pairs[0].sides[0],
              ElementsAre(Statement{"/prog", 0x1000, 0x1001}, Statement{"/prog", 0x77, 0x78}));
  EXPECT_EQ(found.pairs[0].sides[1].front(), (Statement{"/prog", 112, 116}));
}

TEST(Pairs, WithoutDebugInformationTheTwoInnermostCount) {
  const Stack bare{frame("memcpy", "", 0, "/prog", 0x1000), frame("", "", 0, "/prog", 0x77),
                   frame("main", "", 0, "/prog", 0x88)};
  const Pairs found = pairs_of(finding(bare, bare));
  ASSERT_EQ(found.pairs.size(), 1U);
  EXPECT_EQ(found.pairs[0].sides[0].size(), 2U);
}

TEST(Pairs, WhatCannotBeTriedSaysWhy) {
  const Stack known{frame("f", "a.c", 1)};
  EXPECT_THAT(pairs_of(finding({}, known)).why_not[0], HasSubstr("where T1 made"));
  EXPECT_THAT(pairs_of(finding(known, {frame("f", "a.c", 99)})).why_not[0], HasSubstr("a.c:99:3"));
  EXPECT_THAT(pairs_of(finding(known, {frame("f", "a.c", 1, "/old", 5)})).why_not[0],
              HasSubstr("not the build"));
  Finding misuse = finding(known, known);
  misuse.rule = Rule::kDoubleLock;
  EXPECT_THAT(pairs_of(misuse).why_not[0], HasSubstr("two accesses"));
  Finding gpu = finding(known, known);
  gpu.second.gpu = GpuPlace{};
  EXPECT_THAT(pairs_of(gpu).why_not[0], HasSubstr("GPU"));
}

TEST(Pairs, AreTheSameInEitherOrder) {
  const std::vector<Statement> a{{"/prog", 10, 14}};
  const std::vector<Statement> b{{"/prog", 20, 24}, {"/lib.so", 10, 14}};
  const std::vector<Statement> in_a{{"/prog", 13, 14}};
  const std::vector<Statement> in_b{{"/lib.so", 11, 12}};
  EXPECT_TRUE(is_same({0, {a, b}}, {3, {in_a, in_b}}));
  EXPECT_TRUE(is_same({0, {a, b}}, {3, {in_b, in_a}}));
  EXPECT_FALSE(is_same({0, {a, b}}, {3, {in_a, in_a}}));
  EXPECT_FALSE(is_same({0, {a, b}}, {3, {in_b, {{"/prog", 14, 15}}}}));
}

TEST(Pairs, EveryFindingKeepsItsPlace) {
  Report report;
  const Stack known{frame("f", "a.c", 1)};
  report.findings = {finding({}, known), finding(known, known)};
  const Pairs found = find_pairs(report, locator());
  ASSERT_EQ(found.pairs.size(), 1U);
  EXPECT_EQ(found.pairs[0].finding, 1U);
  EXPECT_EQ(found.why_not.size(), 2U);
}

}  // namespace
}  // namespace redflag::confirm
