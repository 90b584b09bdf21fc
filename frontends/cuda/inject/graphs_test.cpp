#include "frontends/cuda/inject/graphs.h"

#include <gtest/gtest.h>

namespace redflag::inject {
namespace {

template <typename Handle>
Handle handle(std::uintptr_t number) {
  return reinterpret_cast<Handle>(number);
}

Graphs::Operation launch(std::uint32_t id, std::uintptr_t node = 0) {
  gpu::Launch made;
  made.id = gpu::LaunchId{id};
  return {handle<CUgraphNode>(node), made};
}

std::vector<std::uint32_t> numbers(Graphs& graphs, CUgraphExec exec) {
  std::vector<std::uint32_t> made;
  for (const Graphs::Operation& each : graphs.of(exec).operations) {
    made.push_back(raw(std::get<gpu::Launch>(each.what).id));
  }
  return made;
}

const auto kGraph = handle<CUgraph>(16);
const auto kOther = handle<CUgraph>(32);
const auto kExec = handle<CUgraphExec>(48);
using Numbers = std::vector<std::uint32_t>;

TEST(Graphs, WhatWasCapturedIsWhatRuns) {
  Graphs graphs;
  graphs.captured(1, launch(1, 4));
  graphs.captured(2, launch(9));
  graphs.captured(1, launch(2, 5));
  graphs.end_capture(1, kGraph);
  graphs.end_capture(2, nullptr);  // it failed
  graphs.instantiate(kExec, kGraph, {});
  EXPECT_EQ(numbers(graphs, kExec), (Numbers{1, 2}));
  EXPECT_TRUE(graphs.of(handle<CUgraphExec>(99)).operations.empty());
}

TEST(Graphs, NodesCanBeChangedInTheGraphAndInWhatWasMadeOfIt) {
  Graphs graphs;
  graphs.add(kGraph, launch(1, 4));
  graphs.add(kGraph, launch(2, 5));
  graphs.instantiate(kExec, kGraph, {});
  graphs.replace(handle<CUgraphNode>(4), {launch(3)});
  EXPECT_EQ(numbers(graphs, kExec), (Numbers{1, 2}));
  graphs.replace(kExec, handle<CUgraphNode>(5), {launch(4)});
  EXPECT_EQ(numbers(graphs, kExec), (Numbers{1, 4}));
  graphs.instantiate(kExec, kGraph, {});
  EXPECT_EQ(numbers(graphs, kExec), (Numbers{3, 2}));
}

std::shared_ptr<const Child> child(std::uintptr_t node) {
  return std::make_shared<const Child>(Child{handle<CUgraphNode>(node), nullptr, {}, nullptr});
}

TEST(Graphs, ClonesAndChildrenHaveTheSame) {
  Graphs graphs;
  graphs.add(kGraph, launch(1, 4));
  graphs.clone(kOther, kGraph, [](CUgraphNode) { return handle<CUgraphNode>(7); });
  graphs.add_child(kOther, kGraph, child(8), [](CUgraphNode) { return handle<CUgraphNode>(9); });
  graphs.instantiate(kExec, kOther, {});
  EXPECT_EQ(numbers(graphs, kExec), (Numbers{1, 1}));
  const Graphs::Operations& all = graphs.of(kExec).operations;
  EXPECT_EQ(all[0].node, handle<CUgraphNode>(7));
  EXPECT_EQ(all[0].child, nullptr);
  EXPECT_FALSE(all[0].launched);
  EXPECT_EQ(all[1].node, handle<CUgraphNode>(9));
  EXPECT_EQ(all[1].child->node, handle<CUgraphNode>(8));
  EXPECT_TRUE(all[1].launched);  // its number is that of what it was copied from
}

TEST(Graphs, AChildOfAChildHasNoNodeOfItsOwn) {
  Graphs graphs;
  const auto find = [](CUgraphNode) { return handle<CUgraphNode>(9); };
  graphs.add(kGraph, launch(1, 4));
  graphs.add_child(kOther, kGraph, child(5), find);
  graphs.add_child(handle<CUgraph>(64), kOther, child(6), find);
  graphs.instantiate(kExec, handle<CUgraph>(64), {});
  EXPECT_EQ(graphs.of(kExec).operations[0].node, nullptr);
  EXPECT_EQ(graphs.of(kExec).operations[0].child->node, handle<CUgraphNode>(6));
}

TEST(Graphs, AChildCanBeReplacedInWhatWasMadeOfIt) {
  Graphs graphs;
  const auto find = [](CUgraphNode) { return handle<CUgraphNode>(9); };
  graphs.add(kGraph, launch(1, 4));
  graphs.add(kGraph, launch(2, 5));
  graphs.add_child(kOther, kGraph, child(6), find);
  graphs.add(kOther, launch(3, 7));
  graphs.instantiate(kExec, kOther, {});
  graphs.add(handle<CUgraph>(64), launch(8, 10));
  graphs.replace_child(kExec, handle<CUgraph>(64), child(6), find);
  EXPECT_EQ(numbers(graphs, kExec), (Numbers{8, 3}));
  graphs.remove(handle<CUgraphNode>(6));
  graphs.instantiate(kExec, kOther, {});
  EXPECT_EQ(numbers(graphs, kExec), (Numbers{3}));
}

TEST(Graphs, TwoThatAreMadeOfOneGraphDoNotHaveItsNumbers) {
  Graphs graphs;
  graphs.add(kGraph, launch(1, 4));
  graphs.instantiate(kExec, kGraph, {});
  graphs.instantiate(handle<CUgraphExec>(64), kGraph, {});
  EXPECT_FALSE(graphs.of(kExec).operations[0].launched);
  EXPECT_TRUE(graphs.of(handle<CUgraphExec>(64)).operations[0].launched);
}

TEST(Graphs, AnUpdateKeepsTheNodes) {
  Graphs graphs;
  graphs.add(kGraph, launch(1, 4));
  graphs.add(kOther, launch(2, 5));
  graphs.instantiate(kExec, kGraph, {});
  graphs.update(kExec, kOther);
  EXPECT_EQ(numbers(graphs, kExec), (Numbers{2}));
  EXPECT_EQ(graphs.of(kExec).operations[0].node, handle<CUgraphNode>(4));
}

TEST(Graphs, AGraphLivesAsLongAsWhatWasMadeOfIt) {
  Graphs graphs;
  graphs.add(kGraph, launch(1, 4));
  graphs.add(kOther, launch(2, 5));
  graphs.instantiate(kExec, kGraph, {});
  EXPECT_TRUE(graphs.forget(kOther));
  EXPECT_FALSE(graphs.forget(kGraph));
  EXPECT_EQ(graphs.forget(kExec), kGraph);
  EXPECT_EQ(graphs.forget(kExec), std::nullopt);
}

}  // namespace
}  // namespace redflag::inject
