#include "frontends/cuda/cudart/graph.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace redflag::cudart {

GraphNode* Graph::add(Operation operation, std::vector<GraphNode*> after) {
  auto node = std::make_unique<GraphNode>();
  node->graph = this;
  node->operation = std::move(operation);
  node->after = std::move(after);
  nodes.push_back(std::move(node));
  return nodes.back().get();
}

bool Graph::has(const GraphNode* node) const {
  return std::any_of(nodes.begin(), nodes.end(),
                     [node](const auto& each) { return each.get() == node; });
}

bool Graph::remove(GraphNode* node) {
  for (const auto& each : nodes) std::erase(each->after, node);
  return std::erase_if(nodes, [node](const auto& each) { return each.get() == node; }) != 0;
}

std::vector<GraphNode*> in_order(const Graph& graph) {
  std::unordered_set<const GraphNode*> done;
  std::vector<GraphNode*> order;
  order.reserve(graph.nodes.size());
  // Nodes are nearly always in order already: one pass, and more only where they are not.
  for (bool moved = true; moved && order.size() < graph.nodes.size();) {
    moved = false;
    for (const auto& node : graph.nodes) {
      if (done.contains(node.get())) continue;
      const bool ready = std::all_of(node->after.begin(), node->after.end(),
                                     [&](const GraphNode* each) { return done.contains(each); });
      if (!ready) continue;
      done.insert(node.get());
      order.push_back(node.get());
      moved = true;
    }
  }
  return order;
}

std::unique_ptr<Graph> clone(const Graph& graph) {
  auto made = std::make_unique<Graph>();
  std::unordered_map<const GraphNode*, GraphNode*> copies;
  for (const auto& node : graph.nodes) {
    GraphNode* copy = made->add(node->operation, {});
    copy->original = node.get();
    copy->enabled = node->enabled;
    copies.emplace(node.get(), copy);
    if (auto* child = std::get_if<ChildOp>(&copy->operation)) {
      made->children.push_back(clone(*child->graph));
      child->graph = made->children.back().get();
    }
  }
  for (const auto& node : graph.nodes) {
    for (const GraphNode* each : node->after) {
      copies.at(node.get())->after.push_back(copies.at(each));
    }
  }
  return made;
}

bool leads_to(const GraphNode* node, const std::vector<GraphNode*>& ends) {
  std::unordered_set<const GraphNode*> seen;
  std::vector<const GraphNode*> left(ends.begin(), ends.end());
  while (!left.empty()) {
    const GraphNode* at = left.back();
    left.pop_back();
    if (at == node) return true;
    if (!seen.insert(at).second) continue;
    left.insert(left.end(), at->after.begin(), at->after.end());
  }
  return false;
}

NodeType type_of(const Operation& operation) {
  struct Namer {
    NodeType operator()(const LaunchOp&) const { return NodeType::kKernel; }
    NodeType operator()(const CopyOp&) const { return NodeType::kMemcpy; }
    NodeType operator()(const FillOp&) const { return NodeType::kMemset; }
    NodeType operator()(const HostOp&) const { return NodeType::kHost; }
    NodeType operator()(const RecordOp&) const { return NodeType::kEventRecord; }
    NodeType operator()(const WaitOp&) const { return NodeType::kWaitEvent; }
    NodeType operator()(const EmptyOp&) const { return NodeType::kEmpty; }
    NodeType operator()(const ChildOp&) const { return NodeType::kGraph; }
  };
  return std::visit(Namer{}, operation);
}

GraphNode* GraphExec::find(const GraphNode* original) const {
  for (const auto& node : graph->nodes) {
    if (node->original == original || node.get() == original) return node.get();
  }
  return nullptr;
}

}  // namespace redflag::cudart
