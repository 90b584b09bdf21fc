// Lengauer and Tarjan's dominators, the simple version with path compression, on explicit stacks.
#include <algorithm>

#include "frontends/cuda/ptx/cfg.h"

namespace redflag::ptx {
namespace {

class DominatorFinder {
 public:
  explicit DominatorFinder(const std::vector<std::vector<std::uint32_t>>& successors)
      : successors_(successors),
        number_(successors.size(), kNoNode),
        parent_(successors.size(), kNoNode),
        semi_(successors.size(), kNoNode),
        label_(successors.size()),
        ancestor_(successors.size(), kNoNode),
        dominator_(successors.size(), kNoNode),
        predecessors_(successors.size()),
        bucket_(successors.size()) {
    for (std::uint32_t i = 0; i < label_.size(); ++i) label_[i] = i;
  }

  std::vector<std::uint32_t> find(std::uint32_t root) {
    visit(root);
    for (std::size_t i = order_.size(); i-- > 1;) {
      const std::uint32_t node = order_[i];
      for (const std::uint32_t from : predecessors_[node]) {
        semi_[node] = std::min(semi_[node], semi_[evaluate(from)]);
      }
      bucket_[order_[semi_[node]]].push_back(node);
      ancestor_[node] = parent_[node];
      for (const std::uint32_t each : bucket_[parent_[node]]) {
        const std::uint32_t best = evaluate(each);
        dominator_[each] = semi_[best] < semi_[each] ? best : parent_[node];
      }
      bucket_[parent_[node]].clear();
    }
    for (std::size_t i = 1; i < order_.size(); ++i) {
      const std::uint32_t node = order_[i];
      if (dominator_[node] != order_[semi_[node]]) dominator_[node] = dominator_[dominator_[node]];
    }
    dominator_[root] = kNoNode;
    return std::move(dominator_);
  }

 private:
  // Numbers the nodes in depth-first order.
  void visit(std::uint32_t root) {
    struct Step {
      std::uint32_t node;
      std::size_t next;
    };
    std::vector<Step> stack;
    const auto enter = [this, &stack](std::uint32_t node) {
      number_[node] = semi_[node] = static_cast<std::uint32_t>(order_.size());
      order_.push_back(node);
      stack.push_back({node, 0});
    };
    enter(root);
    while (!stack.empty()) {
      Step& step = stack.back();
      if (step.next == successors_[step.node].size()) {
        stack.pop_back();
        continue;
      }
      const std::uint32_t from = step.node;
      const std::uint32_t to = successors_[from][step.next++];
      predecessors_[to].push_back(from);
      if (number_[to] == kNoNode) {
        parent_[to] = from;
        enter(to);
      }
    }
  }

  // The node with the least semidominator on the way up to the root of its tree.
  std::uint32_t evaluate(std::uint32_t node) {
    if (ancestor_[node] == kNoNode) return label_[node];
    std::vector<std::uint32_t>& path = path_;
    path.clear();
    for (std::uint32_t at = node; ancestor_[ancestor_[at]] != kNoNode; at = ancestor_[at]) {
      path.push_back(at);
    }
    for (std::size_t i = path.size(); i-- > 0;) {
      const std::uint32_t at = path[i];
      const std::uint32_t up = ancestor_[at];
      if (semi_[label_[up]] < semi_[label_[at]]) label_[at] = label_[up];
      ancestor_[at] = ancestor_[up];
    }
    return label_[node];
  }

  const std::vector<std::vector<std::uint32_t>>& successors_;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> number_;
  std::vector<std::uint32_t> parent_;
  std::vector<std::uint32_t> semi_;  // as a number of the order
  std::vector<std::uint32_t> label_;
  std::vector<std::uint32_t> ancestor_;
  std::vector<std::uint32_t> dominator_;
  std::vector<std::vector<std::uint32_t>> predecessors_;
  std::vector<std::vector<std::uint32_t>> bucket_;
  std::vector<std::uint32_t> path_;
};

}  // namespace

std::vector<std::uint32_t> immediate_dominators(
    const std::vector<std::vector<std::uint32_t>>& successors, std::uint32_t root) {
  return DominatorFinder(successors).find(root);
}

}  // namespace redflag::ptx
