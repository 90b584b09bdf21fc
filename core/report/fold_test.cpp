#include "core/report/fold.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>

#include "core/report/sample_report.h"

namespace redflag {
namespace {

Finding with_count(Finding finding, std::uint64_t count) {
  finding.count = count;
  return finding;
}

Finding swapped(Finding finding) {
  std::swap(finding.first, finding.second);
  return finding;
}

TEST(Fold, SameSidesAreOneFindingWithTheSumOfCounts) {
  Folder folder;
  EXPECT_TRUE(folder.add(with_count(sample::write_write(), 2)));
  EXPECT_FALSE(folder.add(with_count(swapped(sample::write_write()), 3)));
  Finding elsewhere = with_count(sample::write_write(), 5);
  elsewhere.addr = Addr{0x9000};
  elsewhere.memory.name = "another";
  elsewhere.first.access.thread = ThreadId{9};
  EXPECT_FALSE(folder.add(elsewhere)) << "memory and threads do not matter";
  const std::vector<Finding> kept = folder.take();
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_EQ(kept[0].count, 10u);
  EXPECT_EQ(kept[0].memory.name, "balance") << "the first is kept";
  EXPECT_EQ(folder.size(), 0u);
}

TEST(Fold, AnotherLineOrRuleIsAnotherFinding) {
  Folder folder;
  folder.add(sample::write_write());
  Finding line = sample::write_write();
  line.first.stack[0].line += 1;
  Finding rule = sample::write_write();
  rule.rule = Rule::kLockset;
  Finding caller = sample::write_write();
  caller.first.stack[1].line += 1;
  EXPECT_TRUE(folder.add(line));
  EXPECT_TRUE(folder.add(rule));
  EXPECT_FALSE(folder.add(caller)) << "only innermost frames count";
}

TEST(Fold, OnePairOfLinesIsOneFindingHoweverManyReaders) {
  Folder folder;
  EXPECT_TRUE(folder.add(sample::write_write()));
  Finding reader = sample::write_write();
  reader.rule = Rule::kReadWrite;
  reader.first.access.kind = EventKind::kRead;
  EXPECT_FALSE(folder.add(reader)) << "x++ reads and writes at one line";
  Finding first = swapped(reader);
  first.rule = Rule::kWriteRead;
  EXPECT_FALSE(folder.add(first)) << "which of them comes first is chance";
  Finding instance = sample::write_write();
  instance.first.stack[0].function = "deposit<int>(int)";
  EXPECT_FALSE(folder.add(instance)) << "one line of a template, or of a lambda";
  const std::vector<Finding> kept = folder.take();
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_EQ(kept[0].count, 4u * 12u);
  EXPECT_EQ(fingerprint(reader), fingerprint(first));
  EXPECT_EQ(fingerprint(reader), kept[0].fingerprint)
      << "a baseline does not depend on which one came first";
}

TEST(Fold, ALibrarysInsidesAreNoPlace) {
  Finding one = sample::write_write();
  const CodeFrame inside{"std::vector<int>::push_back(int&&)",
                         "/usr/include/c++/12/bits/stl_vector.h", 1203, 8};
  for (Side* side : {&one.first, &one.second}) side->stack.insert(side->stack.begin(), inside);
  Finding other = one;
  other.first.stack[1].line += 5;
  Folder folder;
  EXPECT_TRUE(folder.add(one));
  EXPECT_TRUE(folder.add(other)) << "the vector is used at another line";
  Finding other_library = one;
  other_library.first.stack[0].line = 1100;
  EXPECT_FALSE(folder.add(other_library));
  // What the compiler inlined makes no difference to the fingerprint.
  Finding deeper = one;
  deeper.first.stack.insert(
      deeper.first.stack.begin(),
      {"std::construct_at<int>(int*)", "/usr/include/c++/12/bits/stl_construct.h", 97, 14});
  EXPECT_EQ(fingerprint(one), fingerprint(deeper));
}

TEST(Fold, LibraryFunctionsAreTheCallersPlace) {
  Finding one = sample::live_freed();
  Finding other = one;
  other.second.stack[1].line += 1;
  Finding same = one;
  same.second.stack.push_back({"main", "cache.cpp", 99, 1});
  Folder folder;
  EXPECT_TRUE(folder.add(one));
  EXPECT_TRUE(folder.add(other)) << "memcpy called elsewhere";
  EXPECT_FALSE(folder.add(same)) << "callers of the caller do not count";
  EXPECT_EQ(folder.put(other).index, 1u);
  EXPECT_NE(fingerprint(one), fingerprint(sample::use_after_free()));
}

TEST(Fold, WithoutDebugInformationTheOffsetIsThePlace) {
  Finding one = sample::live();
  for (Side* side : {&one.first, &one.second}) {
    for (CodeFrame& frame : side->stack) frame = CodeFrame(Frame{frame.function, "", 0, 0});
    side->stack[0].module = "/home/user/bank";
    side->stack[0].offset = 0x100;
  }
  Finding other = one;
  other.first.stack[0].offset = 0x200;
  Folder folder;
  EXPECT_TRUE(folder.add(one));
  EXPECT_TRUE(folder.add(other));
  EXPECT_EQ(fingerprint(one), fingerprint(other)) << "a rebuild moves code";
}

TEST(Fold, WithoutDebugInformationFunctionsBelongToTheirSides) {
  Finding a = sample::write_write();
  a.first.stack = {CodeFrame(Frame{"f", "", 0, 0})};
  a.second.stack = {CodeFrame(Frame{"g", "", 0, 0})};
  Finding b = a;
  b.first.stack[0].function = "g";
  Folder folder;
  EXPECT_TRUE(folder.add(a));
  EXPECT_FALSE(folder.add(swapped(a)));
  EXPECT_TRUE(folder.add(b));
}

TEST(Fold, WithoutSourcesThreadsAndAddressDecide) {
  Folder folder;
  EXPECT_TRUE(folder.add(sample::bare()));
  EXPECT_FALSE(folder.add(swapped(sample::bare())));
  Finding other_address = sample::bare();
  other_address.addr = Addr{0x2000};
  EXPECT_TRUE(folder.add(other_address));
  Finding other_thread = sample::bare();
  other_thread.first.access.thread = ThreadId{8};
  EXPECT_TRUE(folder.add(other_thread));
}

TEST(Fold, CountsSaturate) {
  Folder folder;
  folder.add(with_count(sample::bare(), ~std::uint64_t{0} - 1));
  folder.add(with_count(sample::bare(), 5));
  EXPECT_EQ(folder.take()[0].count, ~std::uint64_t{0});
}

TEST(Fold, FingerprintSurvivesEditsElsewhere) {
  const Finding before = sample::write_write();
  Finding after = swapped(before);
  for (Side* side : {&after.first, &after.second}) {
    side->access.thread = ThreadId{raw(side->access.thread) + 7};
    side->thread_name = "T99";
    for (Frame& frame : side->stack) {
      frame.line += 40;
      frame.column = 1;
      frame.file = "/another/checkout/" + frame.file;
    }
  }
  after.addr = Addr{0x7777};
  EXPECT_EQ(fingerprint(before), fingerprint(after));
  EXPECT_EQ(fingerprint(before).size(), 16u);
}

TEST(Fold, FingerprintChangesWithTheRace) {
  const std::string before = fingerprint(sample::write_write());
  Finding rule = sample::write_write();
  rule.rule = Rule::kLockset;
  Finding memory = sample::write_write();
  memory.memory.name = "other";
  Finding function = sample::write_write();
  function.first.stack[0].function = "withdraw(long)";
  for (const Finding& finding : {rule, memory, function}) EXPECT_NE(fingerprint(finding), before);
}

TEST(Fold, FingerprintIsTheSameOnEveryMachine) {
  EXPECT_EQ(fingerprint(sample::write_write()), "7a52b593a83cd7a8")
      << "changing this breaks every baseline that users have stored";
}

TEST(Fold, CollidingFingerprintsGetAnOrdinal) {
  Report report;
  for (std::uint32_t i = 0; i < 3; ++i) {
    Finding finding = sample::write_write();
    finding.first.stack[0].line += i;
    report.findings.push_back(finding);
  }
  fold(report);
  ASSERT_EQ(report.findings.size(), 3u);
  const std::string base = report.findings[0].fingerprint;
  EXPECT_EQ(report.findings[1].fingerprint, base + "-2");
  EXPECT_EQ(report.findings[2].fingerprint, base + "-3");
}

TEST(Fold, FoldingTwiceChangesNothing) {
  for (Report report : {sample::usual(), sample::large(), sample::broken_encoding()}) {
    fold(report);
    const Report once = report;
    fold(report);
    EXPECT_EQ(report, once);
    std::set<std::string> prints;
    for (const Finding& finding : report.findings) prints.insert(finding.fingerprint);
    EXPECT_EQ(prints.size(), report.findings.size());
  }
}

TEST(Fold, KeepsTheOrderOfFirstAppearance) {
  Report report;
  report.findings = {sample::lockset(), sample::write_write(), sample::lockset(), sample::bare()};
  fold(report);
  ASSERT_EQ(report.findings.size(), 3u);
  EXPECT_EQ(report.findings[0].rule, Rule::kLockset);
  EXPECT_EQ(report.findings[0].count, 2u);
  EXPECT_EQ(report.findings[2].addr, Addr{0x1000});
}

}  // namespace
}  // namespace redflag
