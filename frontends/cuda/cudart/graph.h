// Graphs: operations with their order written down, to be run as often as one likes.
//
// A graph is nodes and what each depends on. Launching one runs the nodes in an order that respects
// this; what the nodes may do at the same time is told to the detector by giving every branch a
// stream of its own, with events where branches meet (CUDA programming guide, "CUDA graphs").
#pragma once

#include <memory>
#include <vector>

#include "frontends/cuda/cudart/operation.h"
#include "frontends/cuda/cudart/stream.h"

namespace redflag::cudart {

struct GraphNode {
  Graph* graph = nullptr;
  Operation operation;
  std::vector<GraphNode*> after;        // what it depends on
  const GraphNode* original = nullptr;  // of a clone
  bool enabled = true;
};

struct Graph {
  std::vector<std::unique_ptr<GraphNode>> nodes;
  std::vector<std::unique_ptr<Graph>> children;  // those that nodes of it run

  GraphNode* add(Operation operation, std::vector<GraphNode*> after);
  bool has(const GraphNode* node) const;
  bool remove(GraphNode* node);
};

// Nodes before what depends on them; shorter than the graph where there is a cycle.
std::vector<GraphNode*> in_order(const Graph& graph);
// A copy whose nodes name their originals.
std::unique_ptr<Graph> clone(const Graph& graph);
// Whether `node` is one of `ends` or comes before one of them.
bool leads_to(const GraphNode* node, const std::vector<GraphNode*>& ends);
NodeType type_of(const Operation& operation);

struct GraphExec {
  std::unique_ptr<Graph> graph;
  unsigned long long flags = 0;
  std::vector<gpu::StreamId> branches;  // made at the first launch, used again later
  std::vector<gpu::HostEventId> marks;  // one for each node
  gpu::HostEventId begins{0};

  // The node that stands for one of the graph it was made from; nullptr: none does.
  GraphNode* find(const GraphNode* original) const;
};

}  // namespace redflag::cudart
