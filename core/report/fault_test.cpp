#include "core/report/fault.h"

#include <gtest/gtest.h>

#include "core/report/sample_report.h"

namespace redflag {
namespace {

constexpr Addr kRacy{0x1004};

// Eight bytes at 0x1000 against the upper four of them.
Finding overlapping() {
  Finding finding = sample::write_write();
  finding.addr = kRacy;
  finding.size = 4;
  finding.first.access.addr = Addr{0x1000};
  finding.first.access.size = 8;
  finding.second.access.addr = kRacy;
  finding.second.access.size = 4;
  finding.first.locks.clear();
  finding.second.locks.clear();
  return finding;
}

HeldLock held(std::uint64_t id, bool shared = false) {
  HeldLock lock;
  lock.name = "m";
  lock.id = id;
  lock.shared = shared;
  return lock;
}

TEST(Fault, AFindingThatAgreesWithItselfIsNone) {
  EXPECT_EQ(fault_of(overlapping(), {}), Fault::kNone);
  for (const Finding& finding : sample::one_of_each()) {
    EXPECT_EQ(fault_of(finding, {}), Fault::kNone) << info(finding.rule).id;
  }
  for (const Finding& finding : sample::live_run().findings) {
    EXPECT_EQ(fault_of(finding, {}), Fault::kNone) << info(finding.rule).id;
  }
}

TEST(Fault, TheLaterAccessTouchesOtherBytes) {
  Finding finding = overlapping();
  finding.second.access.addr = Addr{0x1008};
  EXPECT_EQ(fault_of(finding, {}), Fault::kLaterElsewhere);
  finding.second.access.addr = Addr{0x1000};
  EXPECT_EQ(fault_of(finding, {}), Fault::kLaterElsewhere) << "it ends where the bytes begin";
  finding.second.access.size = 5;
  EXPECT_EQ(fault_of(finding, {}), Fault::kNone) << "one common byte will do";
}

TEST(Fault, TheEarlierAccessTouchesOtherBytes) {
  Finding finding = overlapping();
  finding.first.access.size = 4;
  EXPECT_EQ(fault_of(finding, {}), Fault::kEarlierElsewhere);
  finding.first.access.size = 0;
  EXPECT_EQ(fault_of(finding, {}), Fault::kNone) << "how much it touched is not known";
}

TEST(Fault, TheEarlierAccessWasMadeByAnotherMappingOfThePage) {
  Finding finding = overlapping();
  finding.first.access.addr = Addr{0x7f0000000000};
  EXPECT_EQ(fault_of(finding, {}), Fault::kEarlierElsewhere);
  Evidence evidence;
  evidence.earlier_addr = Addr{0x7f0000000004};
  EXPECT_EQ(fault_of(finding, evidence), Fault::kNone);
}

TEST(Fault, TheLastBytesOfTheAddressSpace) {
  Finding finding = overlapping();
  finding.addr = finding.first.access.addr = finding.second.access.addr = Addr{~std::uint64_t{3}};
  EXPECT_EQ(fault_of(finding, {}), Fault::kNone);
}

TEST(Fault, ACommonLockOrdersUnlessBothHoldItForReading) {
  Finding finding = overlapping();
  finding.first.locks = {held(3), held(7)};
  finding.second.locks = {held(7)};
  EXPECT_EQ(fault_of(finding, {}), Fault::kCommonLock);
  finding.second.locks = {held(7, true)};
  EXPECT_EQ(fault_of(finding, {}), Fault::kCommonLock) << "a writer excludes readers";
  finding.first.locks = {held(7, true)};
  EXPECT_EQ(fault_of(finding, {}), Fault::kNone) << "two readers are not ordered";
  finding.first.locks = {held(8)};
  finding.second.locks = {held(7)};
  EXPECT_EQ(fault_of(finding, {}), Fault::kNone) << "other locks";
  finding.first.locks = {held(0)};
  finding.second.locks = {held(0)};
  EXPECT_EQ(fault_of(finding, {}), Fault::kNone) << "a lock without a number may be any";
}

TEST(Fault, ALockNeedNotOrderWhereSynchronisationIsIgnored) {
  Finding finding = overlapping();
  finding.first.locks = finding.second.locks = {held(7)};
  Evidence evidence;
  evidence.locks_may_not_order = true;
  EXPECT_EQ(fault_of(finding, evidence), Fault::kNone);
}

TEST(Fault, AnAccessThatTheWholeHistoryDoesNotHave) {
  Evidence evidence;
  evidence.never_made = true;
  EXPECT_EQ(fault_of(overlapping(), evidence), Fault::kNeverMade);
}

TEST(Fault, MisuseAndPredictionsHaveOtherRules) {
  Finding finding = overlapping();
  finding.first.access.addr = Addr{0x9000};
  for (const Rule rule : {Rule::kLockset, Rule::kDestroyLocked, Rule::kSignalUnsafe}) {
    finding.rule = rule;
    EXPECT_EQ(fault_of(finding, {}), Fault::kNone) << info(rule).id;
  }
  finding.rule = Rule::kFree;
  EXPECT_EQ(fault_of(finding, {}), Fault::kEarlierElsewhere);
  finding.second.gpu.emplace();
  EXPECT_EQ(fault_of(finding, {}), Fault::kNone) << "between a kernel and the host";
}

}  // namespace
}  // namespace redflag
