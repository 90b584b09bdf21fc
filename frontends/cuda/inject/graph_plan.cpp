#include "frontends/cuda/inject/graph_plan.h"

#include <algorithm>
#include <map>
#include <set>

namespace redflag::inject {
namespace {

struct Vertex {
  std::vector<std::size_t> before, behind;
  std::vector<std::size_t> operations;
};

// Nodes of the graph and of its children. A child's node is two: where it begins and where it ends.
class Vertices {
 public:
  std::vector<Vertex> all;

  void add_child(const Child& child) {
    if (!children_.insert(&child).second) return;
    const std::size_t begins = find({child.node, nullptr});
    const std::size_t ends = all.size();
    all.emplace_back();
    ends_[begins] = ends;
    for (const auto& [from, to] : child.edges) join(find({from, &child}), find({to, &child}));
  }
  void add_operation(std::size_t number, const Spot& spot) {
    all[find(spot)].operations.push_back(number);
  }
  void add_edges(const Edges& edges) {
    for (const auto& [from, to] : edges) {
      const std::size_t at = find({from, nullptr});
      const auto ends = ends_.find(at);
      join(ends == ends_.end() ? at : ends->second, find({to, nullptr}));
    }
  }
  // Roots of children come behind their beginning, leaves before their end.
  void close_children() {
    for (const auto& [spot, at] : places_) {
      if (spot.child == nullptr) continue;
      const std::size_t begins = find({spot.child->node, nullptr});
      const bool is_root = all[at].before.empty();
      const bool is_leaf = all[at].behind.empty();
      if (is_root) join(begins, at);
      if (is_leaf) join(at, ends_[begins]);
    }
    for (const auto& [begins, ends] : ends_) {
      if (all[ends].before.empty()) join(begins, ends);
    }
  }

 private:
  std::size_t find(const Spot& spot) {
    const auto [at, is_new] = places_.emplace(spot, all.size());
    if (is_new) all.emplace_back();
    return at->second;
  }
  void join(std::size_t from, std::size_t to) {
    all[from].behind.push_back(to);
    all[to].before.push_back(from);
  }

  std::map<Spot, std::size_t> places_;
  std::map<std::size_t, std::size_t> ends_;  // of children, by where they begin
  std::set<const Child*> children_;
};

// Nodes before what follows them; those of a cycle, which no driver takes, are left out.
std::vector<std::size_t> in_order(const std::vector<Vertex>& all) {
  std::vector<std::size_t> left(all.size());
  std::set<std::size_t> ready;
  for (std::size_t i = 0; i < all.size(); ++i) {
    left[i] = all[i].before.size();
    if (left[i] == 0) ready.insert(i);
  }
  std::vector<std::size_t> order;
  while (!ready.empty()) {
    const std::size_t at = *ready.begin();
    ready.erase(ready.begin());
    order.push_back(at);
    for (const std::size_t next : all[at].behind) {
      if (--left[next] == 0) ready.insert(next);
    }
  }
  return order;
}

Plan one_after_the_other(std::size_t operations) {
  Plan plan{{}, {}, 1};
  for (std::size_t i = 0; i < operations; ++i) {
    Plan::Step step;
    step.operations.push_back(i);
    plan.steps.push_back(std::move(step));
  }
  return plan;
}

}  // namespace

Plan plan_of(const std::vector<Spot>& spots, const Edges& edges) {
  const bool known = std::all_of(spots.begin(), spots.end(),
                                 [](const Spot& spot) { return spot.node != nullptr; });
  if (!known) return one_after_the_other(spots.size());
  Vertices vertices;
  for (const Spot& spot : spots) {
    if (spot.child != nullptr) vertices.add_child(*spot.child);
  }
  for (std::size_t i = 0; i < spots.size(); ++i) vertices.add_operation(i, spots[i]);
  vertices.add_edges(edges);
  vertices.close_children();

  Plan plan;
  std::map<std::size_t, std::size_t> places;  // of vertices among the steps
  std::vector<bool> passed;                   // whose branch has gone on
  for (const std::size_t vertex : in_order(vertices.all)) {
    const Vertex& from = vertices.all[vertex];
    Plan::Step step;
    step.operations = from.operations;
    bool inherits = false;
    for (const std::size_t before : from.before) {
      const std::size_t at = places.at(before);
      if (!inherits && !passed[at]) {
        step.branch = plan.steps[at].branch;
        passed[at] = true;
        inherits = true;
        continue;
      }
      step.waits.push_back(at);
      plan.steps[at].marked = true;
    }
    if (!inherits) {
      step.branch = plan.branches++;
      step.starts = step.branch != 0 && from.before.empty();
    }
    places.emplace(vertex, plan.steps.size());
    plan.steps.push_back(std::move(step));
    passed.push_back(false);
  }
  // The stream of the launch goes on when all branches have ended.
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    if (passed[i] || plan.steps[i].branch == 0) continue;
    plan.steps[i].marked = true;
    plan.ends.push_back(i);
  }
  return plan;
}

}  // namespace redflag::inject
