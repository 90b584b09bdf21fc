#include "core/detect/gpu/curd/choice.h"

#include <gtest/gtest.h>

#include "core/detect/gpu/curd/rules.h"

namespace redflag::gpu::curd {
namespace {

SyncOps with(std::initializer_list<SyncOp> ops) {
  SyncOps out{true, 0};
  for (const SyncOp op : ops) out.add(op);
  return out;
}

TEST(CurdChoice, BarriersAreForCurd) {
  EXPECT_EQ(engine_for(with({})), Engine::kCurd);
  EXPECT_EQ(engine_for(with({SyncOp::kBlockBarrier})), Engine::kCurd);
  EXPECT_EQ(engine_for(with({SyncOp::kBlockBarrier, SyncOp::kAtomic, SyncOp::kWarpSync})),
            Engine::kCurd);
}

TEST(CurdChoice, WhatIsNotKnownIsForTheOther) {
  EXPECT_EQ(engine_for(SyncOps{}), Engine::kOther);
}

// Section 6.1: one such instruction is enough.
TEST(CurdChoice, EachRowDecides) {
  for (const ChoiceRow& row : kChoices) {
    EXPECT_EQ(engine_for(with({row.op})), row.engine) << row.name;
    EXPECT_EQ(engine_for(with({SyncOp::kBlockBarrier, row.op})), row.engine) << row.name;
    EXPECT_EQ(too_much(with({row.op})) == 0, row.engine == Engine::kCurd) << row.name;
    EXPECT_FALSE(row.name.empty());
    EXPECT_FALSE(row.why.empty());
  }
}

TEST(CurdRules, RowsHaveNamesAndSomethingToSay) {
  for (const RuleRow<Rule>& row : kRules) {
    EXPECT_FALSE(row.name.empty());
    EXPECT_FALSE(row.condition.empty() && row.reading.empty()) << row.name;
  }
  EXPECT_EQ(rule_of(Insertion::kCached), Rule::kInsertedCached);
}

}  // namespace
}  // namespace redflag::gpu::curd
