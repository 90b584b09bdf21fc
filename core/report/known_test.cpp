#include "core/report/known.h"

#include <gtest/gtest.h>

#include "core/report/sample_report.h"

namespace redflag {
namespace {

Stack stack(std::initializer_list<const char*> functions) {
  Stack made;
  for (const char* name : functions) made.emplace_back(name, "x.h", 1, 1);
  return made;
}

Finding between(Stack first, Stack second) {
  Finding finding = sample::write_write();
  finding.first.stack = std::move(first);
  finding.second.stack = std::move(second);
  return finding;
}

constexpr const char* kNarrow = "std::ctype<char>::narrow(char, char) const";
constexpr const char* kLoad =
    "std::_Sp_atomic<std::shared_ptr<int> >::load(std::memory_order) const";
constexpr const char* kSwap = "std::enable_if<true, void>::type std::swap<int*>(int*&, int*&)";
constexpr const char* kStore =
    "std::_Sp_atomic<std::shared_ptr<int> >::swap(std::shared_ptr<int>&, std::memory_order)";

TEST(Known, BothSidesInTheLibrary) {
  EXPECT_NE(known_race(between(stack({kNarrow, "main"}), stack({kNarrow, "work()"}))), nullptr);
  EXPECT_NE(known_race(between(stack({kLoad, "main"}), stack({kSwap, kStore, "work()"}))), nullptr);
}

TEST(Known, OneSideInTheProgram) {
  EXPECT_EQ(known_race(between(stack({kNarrow}), stack({"work()", kNarrow}))), nullptr);
  EXPECT_EQ(known_race(between(stack({kLoad}), stack({"work()"}))), nullptr);
  EXPECT_EQ(known_race(between(stack({kLoad}), {})), nullptr) << "not known what it was";
  EXPECT_EQ(known_race(between(stack({kSwap}), stack({kSwap}))), nullptr);
}

TEST(Known, AFreeIsNeverLeftOut) {
  Finding finding = between(stack({kLoad, "main"}), stack({kStore, "work()"}));
  finding.second.access.kind = EventKind::kFree;
  finding.rule = Rule::kFree;
  EXPECT_EQ(known_race(finding), nullptr);
}

}  // namespace
}  // namespace redflag
