#include "frontends/cuda/inject/graph_plan.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace redflag::inject {
namespace {

CUgraphNode node(std::uintptr_t number) {
  return reinterpret_cast<CUgraphNode>(number * 16);
}

// Whether the plan orders one operation before another: by branches, waits and beginnings.
class Order {
 public:
  explicit Order(const Plan& plan) {
    std::vector<std::set<std::size_t>> branches(plan.branches);
    std::vector<std::set<std::size_t>> marks(plan.steps.size());
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
      const Plan::Step& step = plan.steps[i];
      std::set<std::size_t>& known = branches[step.branch];
      for (const std::size_t before : step.waits) {
        EXPECT_TRUE(plan.steps[before].marked);
        EXPECT_LT(before, i);
        known.insert(marks[before].begin(), marks[before].end());
      }
      for (const std::size_t operation : step.operations) {
        before_[operation] = known;
        known.insert(operation);
      }
      marks[i] = known;
    }
    std::set<std::size_t> all = plan.branches == 0 ? std::set<std::size_t>() : branches[0];
    for (const std::size_t end : plan.ends) all.insert(marks[end].begin(), marks[end].end());
    EXPECT_EQ(all.size(), before_.size()) << "the launch ends with all of them";
  }
  bool has(std::size_t earlier, std::size_t later) { return before_[later].contains(earlier); }

 private:
  std::map<std::size_t, std::set<std::size_t>> before_;
};

TEST(GraphPlan, AChainNeedsNoEvents) {
  const Plan plan = plan_of({{node(1)}, {node(2)}, {node(2)}, {node(3)}},
                            {{node(1), node(2)}, {node(2), node(3)}});
  EXPECT_EQ(plan.branches, 1U);
  EXPECT_TRUE(plan.ends.empty());
  for (const Plan::Step& step : plan.steps) EXPECT_FALSE(step.marked);
  Order order(plan);
  EXPECT_TRUE(order.has(0, 3));
  EXPECT_TRUE(order.has(1, 2));
}

TEST(GraphPlan, BranchesAreNotOrderedAndMeetAgain) {
  const Plan plan =
      plan_of({{node(1)}, {node(2)}, {node(3)}, {node(4)}},
              {{node(1), node(2)}, {node(1), node(3)}, {node(2), node(4)}, {node(3), node(4)}});
  Order order(plan);
  EXPECT_TRUE(order.has(0, 1) && order.has(0, 2) && order.has(1, 3) && order.has(2, 3));
  EXPECT_FALSE(order.has(1, 2) || order.has(2, 1));
}

TEST(GraphPlan, WhatTellsNothingOrdersAllTheSame) {
  // 9 is a node of the host; edges may go against the order in which nodes were added.
  const Plan plan =
      plan_of({{node(1)}, {node(2)}, {node(3)}}, {{node(3), node(9)}, {node(9), node(1)}});
  Order order(plan);
  EXPECT_TRUE(order.has(2, 0));
  EXPECT_FALSE(order.has(1, 0) || order.has(0, 1) || order.has(1, 2) || order.has(2, 1));
}

TEST(GraphPlan, AChildStandsWhereItsNodeDoes) {
  Child child;
  child.node = node(5);
  child.edges = {{node(20), node(21)}};
  // 22 is beside the others of the child.
  const Plan plan =
      plan_of({{node(1)}, {node(20), &child}, {node(21), &child}, {node(22), &child}, {node(2)}},
              {{node(1), node(5)}, {node(5), node(2)}});
  Order order(plan);
  EXPECT_TRUE(order.has(0, 1) && order.has(1, 2) && order.has(2, 4));
  EXPECT_TRUE(order.has(0, 3) && order.has(3, 4));
  EXPECT_FALSE(order.has(1, 3) || order.has(3, 1) || order.has(2, 3) || order.has(3, 2));
}

TEST(GraphPlan, WhereANodeIsNotKnownAllAreOneAfterTheOther) {
  Order order(plan_of({{node(1)}, {nullptr}, {node(3)}}, {}));
  EXPECT_TRUE(order.has(0, 1) && order.has(1, 2));
}

}  // namespace
}  // namespace redflag::inject
