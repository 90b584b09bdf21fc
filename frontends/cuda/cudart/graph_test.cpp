#include "frontends/cuda/cudart/graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace redflag::cudart {
namespace {

using ::testing::ElementsAre;

TEST(Graph, OrderRespectsWhatNodesFollow) {
  Graph graph;
  GraphNode* last = graph.add(EmptyOp{}, {});
  GraphNode* middle = graph.add(FillOp{}, {});
  GraphNode* first = graph.add(HostOp{}, {});
  last->after = {middle, first};
  middle->after = {first};
  EXPECT_THAT(in_order(graph), ElementsAre(first, middle, last));
  EXPECT_TRUE(leads_to(first, {last}));
  EXPECT_FALSE(leads_to(last, {middle}));
}

TEST(Graph, ACycleHasNoOrder) {
  Graph graph;
  GraphNode* a = graph.add(EmptyOp{}, {});
  GraphNode* b = graph.add(EmptyOp{}, {a});
  a->after = {b};
  EXPECT_LT(in_order(graph).size(), graph.nodes.size());
}

TEST(Graph, ACloneIsWholeAndItsOwn) {
  Graph graph;
  GraphNode* a = graph.add(FillOp{.to = {}, .box = {8, 1, 1}, .value = 3}, {});
  GraphNode* b = graph.add(EmptyOp{}, {a});
  graph.children.push_back(std::make_unique<Graph>());
  graph.children.back()->add(EmptyOp{}, {});
  graph.add(ChildOp{graph.children.back().get()}, {b});
  const std::unique_ptr<Graph> copy = clone(graph);
  ASSERT_EQ(copy->nodes.size(), 3U);
  EXPECT_EQ(copy->nodes[0]->original, a);
  EXPECT_THAT(copy->nodes[1]->after, ElementsAre(copy->nodes[0].get()));
  EXPECT_EQ(std::get<FillOp>(copy->nodes[0]->operation).value, 3U);
  EXPECT_NE(std::get<ChildOp>(copy->nodes[2]->operation).graph, graph.children.back().get());
  EXPECT_TRUE(graph.remove(a));
  EXPECT_TRUE(b->after.empty());
  EXPECT_EQ(copy->nodes.size(), 3U);
}

TEST(Graph, KindsOfNodes) {
  EXPECT_EQ(type_of(LaunchOp{}), NodeType::kKernel);
  EXPECT_EQ(type_of(CopyOp{}), NodeType::kMemcpy);
  EXPECT_EQ(type_of(FillOp{}), NodeType::kMemset);
  EXPECT_EQ(type_of(WaitOp{}), NodeType::kWaitEvent);
}

TEST(Operation, ABoxWithoutGapsIsOneRun) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> runs;
  const auto note = [&](std::uint64_t at, std::uint64_t size) { runs.emplace_back(at, size); };
  for_each_run({100, 8, 32}, {8, 4, 2}, note);
  EXPECT_THAT(runs, ElementsAre(std::pair(100, 64)));
  runs.clear();
  for_each_run({100, 16, 32}, {8, 2, 2}, note);
  EXPECT_THAT(runs, ElementsAre(std::pair(100, 8), std::pair(116, 8), std::pair(132, 8),
                                std::pair(148, 8)));
  runs.clear();
  for_each_run({100, 16, 32}, {0, 2, 2}, note);
  EXPECT_TRUE(runs.empty());
}

}  // namespace
}  // namespace redflag::cudart
