#include "frontends/cuda/inject/graphs.h"

#include <algorithm>
#include <utility>

namespace redflag::inject {

void Graphs::captured(std::uint64_t capture, Operation operation) {
  captures_[capture].push_back(std::move(operation));
}

void Graphs::end_capture(std::uint64_t capture, CUgraph graph) {
  const auto at = captures_.find(capture);
  if (at == captures_.end()) return;
  if (graph != nullptr) {
    Operations& to = graphs_[graph].operations;
    to.insert(to.end(), at->second.begin(), at->second.end());
  }
  captures_.erase(at);
}

void Graphs::add(CUgraph graph, Operation operation) {
  graphs_[graph].operations.push_back(std::move(operation));
}

void Graphs::add_child(CUgraph graph, CUgraph child) {
  const auto at = graphs_.find(child);
  if (at == graphs_.end()) return;
  Operations copy = at->second.operations;
  for (Operation& each : copy) each.node = nullptr;
  Operations& to = graphs_[graph].operations;
  to.insert(to.end(), copy.begin(), copy.end());
}

void Graphs::replace_in(Operations& operations, const Operation& operation) {
  for (Operation& each : operations) {
    if (each.node == operation.node) each = operation;
  }
}

void Graphs::replace(CUgraphNode node, const Operation& operation) {
  Operation made = operation;
  made.node = node;
  for (auto& [handle, graph] : graphs_) replace_in(graph.operations, made);
}

void Graphs::replace(CUgraphExec exec, CUgraphNode node, const Operation& operation) {
  Operation made = operation;
  made.node = node;
  replace_in(execs_[exec].operations, made);
}

void Graphs::clone(CUgraph graph, CUgraph from,
                   const std::function<CUgraphNode(CUgraphNode)>& find) {
  const auto at = graphs_.find(from);
  if (at == graphs_.end()) return;
  Operations copy = at->second.operations;
  for (Operation& each : copy) {
    if (each.node != nullptr) each.node = find(each.node);
  }
  graphs_[graph].operations = std::move(copy);
}

void Graphs::instantiate(CUgraphExec exec, CUgraph graph) {
  const auto at = graphs_.find(graph);
  execs_[exec] = {graph, at == graphs_.end() ? Operations() : at->second.operations};
}

void Graphs::update(CUgraphExec exec, CUgraph graph) {
  const auto from = graphs_.find(graph);
  const auto to = execs_.find(exec);
  if (from == graphs_.end() || to == execs_.end()) return;
  Operations made = from->second.operations;
  const Operations& before = to->second.operations;
  for (std::size_t i = 0; i < made.size(); ++i) {
    made[i].node = i < before.size() ? before[i].node : nullptr;
  }
  to->second.operations = std::move(made);
}

bool Graphs::is_used(CUgraph graph) const {
  return std::any_of(execs_.begin(), execs_.end(),
                     [&](const auto& row) { return row.second.graph == graph; });
}

bool Graphs::forget(CUgraph graph) {
  const auto at = graphs_.find(graph);
  if (at == graphs_.end()) return true;
  if (is_used(graph)) {
    at->second.gone = true;
    return false;
  }
  graphs_.erase(at);
  return true;
}

std::optional<CUgraph> Graphs::forget(CUgraphExec exec) {
  const auto at = execs_.find(exec);
  if (at == execs_.end()) return std::nullopt;
  CUgraph const graph = at->second.graph;
  execs_.erase(at);
  const auto from = graphs_.find(graph);
  if (from == graphs_.end() || !from->second.gone || is_used(graph)) return std::nullopt;
  graphs_.erase(from);
  return graph;
}

}  // namespace redflag::inject
