// Plans: in which streams a graph's nodes are told, so that what it does not order is not ordered.
//
// Every node gets a branch: that of the first node it follows which has not passed it on yet, else one
// of its own. Where it follows others it waits for them by events. The first branch is the stream of
// the launch, so that a graph without branches needs no events (CUDA programming guide, "CUDA graphs").
// A child graph stands between what its node follows and what follows its node. Nodes that tell nothing
// (of the host, empty, not checked) order what is told all the same.
#pragma once

#include <compare>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "frontends/cuda/inject/driver.h"

namespace redflag::inject {

using Edges =
    std::vector<std::pair<CUgraphNode, CUgraphNode>>;  // from what is before to what is behind

// A child graph in a node: a copy of it that is ours, in whose nodes the parameters of its kernels are
// put before a launch.
struct Child {
  CUgraphNode node = nullptr;  // of the graph that it is in
  CUgraph graph = nullptr;
  Edges edges;                        // of it
  std::shared_ptr<const void> owner;  // gives the copy back
};

// What an operation is of: a node of the graph, or of a child.
struct Spot {
  CUgraphNode node = nullptr;  // nullptr: not known
  const Child* child = nullptr;
  friend auto operator<=>(const Spot&, const Spot&) = default;
};

struct Plan {
  struct Step {
    std::size_t branch = 0;          // 0: the stream of the launch
    std::vector<std::size_t> waits;  // for the marks of these steps
    bool starts = false;             // a branch: it waits for the beginning of the graph
    bool marked = false;             // somebody waits for it
    std::vector<std::size_t> operations;
  };
  std::vector<Step> steps;
  std::vector<std::size_t> ends;  // steps whose marks the stream of the launch waits for at the end
  std::size_t branches = 0;
};

// `spots`: of the operations, in the order in which they were added. Where one is not known, all are one
// after the other.
Plan plan_of(const std::vector<Spot>& spots, const Edges& edges);

}  // namespace redflag::inject
