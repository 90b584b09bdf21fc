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
  return {handle<CUgraphNode>(node), made, nullptr, false};
}

std::vector<std::uint32_t> numbers(Graphs& graphs, CUgraphExec exec) {
  std::vector<std::uint32_t> made;
  for (const Graphs::Operation& each : graphs.of(exec)) {
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
  graphs.instantiate(kExec, kGraph);
  EXPECT_EQ(numbers(graphs, kExec), (Numbers{1, 2}));
  EXPECT_TRUE(graphs.of(handle<CUgraphExec>(99)).empty());
}

TEST(Graphs, NodesCanBeChangedInTheGraphAndInWhatWasMadeOfIt) {
  Graphs graphs;
  graphs.add(kGraph, launch(1, 4));
  graphs.add(kGraph, launch(2, 5));
  graphs.instantiate(kExec, kGraph);
  graphs.replace(handle<CUgraphNode>(4), launch(3));
  EXPECT_EQ(numbers(graphs, kExec), (Numbers{1, 2}));
  graphs.replace(kExec, handle<CUgraphNode>(5), launch(4));
  EXPECT_EQ(numbers(graphs, kExec), (Numbers{1, 4}));
  graphs.instantiate(kExec, kGraph);
  EXPECT_EQ(numbers(graphs, kExec), (Numbers{3, 2}));
}

TEST(Graphs, ClonesAndChildrenHaveTheSame) {
  Graphs graphs;
  graphs.add(kGraph, launch(1, 4));
  graphs.clone(kOther, kGraph, [](CUgraphNode) { return handle<CUgraphNode>(7); });
  graphs.add_child(kOther, kGraph);
  graphs.instantiate(kExec, kOther);
  EXPECT_EQ(numbers(graphs, kExec), (Numbers{1, 1}));
  EXPECT_EQ(graphs.of(kExec)[0].node, handle<CUgraphNode>(7));
  EXPECT_EQ(graphs.of(kExec)[1].node, nullptr);
}

TEST(Graphs, AnUpdateKeepsTheNodes) {
  Graphs graphs;
  graphs.add(kGraph, launch(1, 4));
  graphs.add(kOther, launch(2, 5));
  graphs.instantiate(kExec, kGraph);
  graphs.update(kExec, kOther);
  EXPECT_EQ(numbers(graphs, kExec), (Numbers{2}));
  EXPECT_EQ(graphs.of(kExec)[0].node, handle<CUgraphNode>(4));
}

TEST(Graphs, AGraphLivesAsLongAsWhatWasMadeOfIt) {
  Graphs graphs;
  graphs.add(kGraph, launch(1, 4));
  graphs.add(kOther, launch(2, 5));
  graphs.instantiate(kExec, kGraph);
  EXPECT_TRUE(graphs.forget(kOther));
  EXPECT_FALSE(graphs.forget(kGraph));
  EXPECT_EQ(graphs.forget(kExec), kGraph);
  EXPECT_EQ(graphs.forget(kExec), std::nullopt);
}

}  // namespace
}  // namespace redflag::inject
