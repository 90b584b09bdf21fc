#include "frontends/cuda/inject/graphs.h"

#include <algorithm>
#include <utility>

namespace redflag::inject {
namespace {

void append(Graphs::Operations& to, Graphs::Operations from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

void plan(Graphs::Exec& exec) {
  std::vector<Spot> spots;
  spots.reserve(exec.operations.size());
  for (const Graphs::Operation& each : exec.operations) {
    spots.push_back({each.node, each.child.get()});
  }
  exec.plan = plan_of(spots, exec.edges);
}

}  // namespace

void Graphs::captured(std::uint64_t capture, Operation operation) {
  captures_[capture].push_back(std::move(operation));
}

void Graphs::captured_child(std::uint64_t capture, CUgraphExec from,
                            const std::shared_ptr<const Child>& child, const Find& find) {
  append(captures_[capture], of_child(execs_[from].operations, child, find));
}

void Graphs::end_capture(std::uint64_t capture, CUgraph graph) {
  const auto at = captures_.find(capture);
  if (at == captures_.end()) return;
  if (graph != nullptr) append(graphs_[graph].operations, std::move(at->second));
  captures_.erase(at);
}

void Graphs::add(CUgraph graph, Operation operation) {
  graphs_[graph].operations.push_back(std::move(operation));
}

// The number that a kernel was made with may be that of several copies: none of them uses it.
Graphs::Operations Graphs::of_child(const Operations& from,
                                    const std::shared_ptr<const Child>& child, const Find& find) {
  Operations made = from;
  for (Operation& each : made) {
    each.node = each.node == nullptr || each.child != nullptr ? nullptr : find(each.node);
    each.child = child;
    each.launched = true;
  }
  return made;
}

void Graphs::add_child(CUgraph graph, CUgraph from, const std::shared_ptr<const Child>& child,
                       const Find& find) {
  const auto at = graphs_.find(from);
  if (at == graphs_.end()) return;
  append(graphs_[graph].operations, of_child(at->second.operations, child, find));
}

void Graphs::replace_in(Operations& in, CUgraphNode node, const Operations& by) {
  const auto is_it = [&](const Operation& each) {
    return each.node == node && each.child == nullptr;
  };
  const auto first = std::find_if(in.begin(), in.end(), is_it);
  if (first == in.end()) return;
  const auto place = first - in.begin();
  const bool enabled = first->enabled;
  std::erase_if(in, is_it);
  Operations made = by;
  for (Operation& each : made) {
    each.node = node;
    each.enabled = enabled;
  }
  in.insert(in.begin() + place, made.begin(), made.end());
}

void Graphs::replace(CUgraphNode node, const Operations& operations) {
  for (auto& [handle, graph] : graphs_) replace_in(graph.operations, node, operations);
}

void Graphs::replace(CUgraphExec exec, CUgraphNode node, const Operations& operations) {
  replace_in(execs_[exec].operations, node, operations);
  plan(execs_[exec]);
}

void Graphs::replace_child(CUgraphExec exec, CUgraph from,
                           const std::shared_ptr<const Child>& child, const Find& find) {
  Operations& in = execs_[exec].operations;
  const auto is_it = [&](const Operation& each) {
    return each.child != nullptr && each.child->node == child->node;
  };
  const auto first = std::find_if(in.begin(), in.end(), is_it);
  const auto graph = graphs_.find(from);
  if (first == in.end() || graph == graphs_.end()) return;
  const auto place = first - in.begin();
  std::erase_if(in, is_it);
  Operations made = of_child(graph->second.operations, child, find);
  in.insert(in.begin() + place, made.begin(), made.end());
  plan(execs_[exec]);
}

void Graphs::enable(CUgraphExec exec, CUgraphNode node, bool enabled) {
  for (Operation& each : execs_[exec].operations) {
    if (each.node == node) each.enabled = enabled;
  }
}

void Graphs::remove(CUgraphNode node) {
  for (auto& [handle, graph] : graphs_) {
    std::erase_if(graph.operations, [&](const Operation& each) {
      return each.child == nullptr ? each.node == node : each.child->node == node;
    });
  }
}

void Graphs::open_child(CUgraphNode node) {
  const auto keep_numbers = [&](Operations& operations) {
    for (Operation& each : operations) {
      if (each.child != nullptr && each.child->node == node) each.params = nullptr;
    }
  };
  for (auto& [handle, graph] : graphs_) keep_numbers(graph.operations);
}

void Graphs::clone(CUgraph graph, CUgraph from, const Find& find) {
  const auto at = graphs_.find(from);
  if (at == graphs_.end()) return;
  Operations copy = at->second.operations;
  std::map<const Child*, std::shared_ptr<const Child>> children;
  for (Operation& each : copy) {
    if (each.child == nullptr) {
      if (each.node != nullptr) each.node = find(each.node);
      continue;
    }
    std::shared_ptr<const Child>& child = children[each.child.get()];
    if (child == nullptr) {
      Child made = *each.child;
      made.node = find(made.node);
      child = std::make_shared<const Child>(std::move(made));
    }
    each.child = child;
  }
  graphs_[graph].operations = std::move(copy);
}

// The first to take them has the numbers that they were made with.
Graphs::Operations Graphs::taken(CUgraph graph) {
  const auto at = graphs_.find(graph);
  if (at == graphs_.end()) return {};
  Operations made = at->second.operations;
  for (Operation& each : at->second.operations) each.launched = true;
  return made;
}

void Graphs::instantiate(CUgraphExec exec, CUgraph graph, const Edges& edges) {
  execs_[exec] = {graph, taken(graph), edges, {}, {}, {}};
  plan(execs_[exec]);
}

void Graphs::update(CUgraphExec exec, CUgraph graph) {
  const auto to = execs_.find(exec);
  if (!graphs_.contains(graph) || to == execs_.end()) return;
  Operations made = taken(graph);
  const Operations& before = to->second.operations;
  const bool same = made.size() == before.size();
  for (std::size_t i = 0; i < made.size(); ++i) {
    made[i].node = same ? before[i].node : nullptr;
    made[i].child = same ? before[i].child : nullptr;
    if (same) made[i].enabled = before[i].enabled;
  }
  to->second.operations = std::move(made);
  plan(to->second);
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
