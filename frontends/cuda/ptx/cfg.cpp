#include "frontends/cuda/ptx/cfg.h"

#include <algorithm>

namespace redflag::ptx {
namespace {

using Graph = std::vector<std::vector<std::uint32_t>>;

bool never_returns(const Module& module, const Function& function, const Instruction& call) {
  const Operand& target = call.operands()[kCallTarget];
  if (target.kind == OperandKind::kSymbol && target.symbol_kind == SymbolKind::kFunction) {
    return module.callee(target.index).noreturn;
  }
  const Operand& table = call.operands()[kCallTable];
  return table.kind == OperandKind::kTable && function.body.tables[raw(table.table())].noreturn;
}

// Whether control may not go on to the next instruction.
bool ends_line(Flow flow) {
  return flow != Flow::kNone && flow != Flow::kCall;
}

template <typename Visitor>  // visitor(LabelId)
void for_each_target(const Function& function, const Instruction& branch, Visitor visitor) {
  if (branch.operand_count == 0) return;
  const Operand& target = branch.operands().back();
  if (target.kind == OperandKind::kLabel) visitor(target.label());
  if (target.kind == OperandKind::kTable) {
    for (const LabelId each : function.body.tables[raw(target.table())].labels) visitor(each);
  }
}

// Depth-first; nodes in the order in which they are left.
std::vector<std::uint32_t> post_order(const Graph& graph) {
  struct Step {
    std::uint32_t node;
    std::size_t next;
  };
  std::vector<std::uint32_t> order;
  std::vector<bool> seen(graph.size());
  std::vector<Step> stack;
  for (std::uint32_t root = 0; root < graph.size(); ++root) {
    if (seen[root]) continue;
    seen[root] = true;
    stack.push_back({root, 0});
    while (!stack.empty()) {
      Step& step = stack.back();
      if (step.next == graph[step.node].size()) {
        order.push_back(step.node);
        stack.pop_back();
        continue;
      }
      const std::uint32_t to = graph[step.node][step.next++];
      if (seen[to]) continue;
      seen[to] = true;
      stack.push_back({to, 0});
    }
  }
  return order;
}

void mark_reachable(const Graph& graph, std::uint32_t from, std::vector<bool>& seen) {
  std::vector<std::uint32_t> stack{from};
  seen[from] = true;
  while (!stack.empty()) {
    const std::uint32_t node = stack.back();
    stack.pop_back();
    for (const std::uint32_t to : graph[node]) {
      if (seen[to]) continue;
      seen[to] = true;
      stack.push_back(to);
    }
  }
}

}  // namespace

Cfg::Cfg(const Module& module, const Function& function) {
  split(module, function);
  connect(module, function);
  if (blocks_.empty()) return;
  dominate();
  post_dominate();
}

void Cfg::split(const Module& module, const Function& function) {
  const std::vector<Instruction>& code = function.body.instructions;
  const std::size_t count = code.size();
  if (count == 0) return;
  std::vector<bool> leader(count + 1);
  leader[0] = true;
  for (std::size_t i = 0; i < count; ++i) {
    const bool stops = ends_line(code[i].flow()) ||
                       (code[i].flow() == Flow::kCall && never_returns(module, function, code[i]));
    if (stops) leader[i + 1] = true;
    if (code[i].flow() == Flow::kBranch || code[i].flow() == Flow::kBranchTable) {
      for_each_target(function, code[i], [&](LabelId label) {
        leader[function.body.labels[raw(label)].target] = true;
      });
    }
  }
  block_of_.resize(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (leader[i]) {
      if (!blocks_.empty()) blocks_.back().end = i;
      blocks_.emplace_back();
      blocks_.back().begin = i;
    }
    block_of_[i] = static_cast<BlockId>(blocks_.size() - 1);
  }
  blocks_.back().end = static_cast<std::uint32_t>(count);
}

void Cfg::connect(const Module& module, const Function& function) {
  const std::vector<Instruction>& code = function.body.instructions;
  for (std::uint32_t i = 0; i < blocks_.size(); ++i) {
    Block& block = blocks_[i];
    const Instruction& last = code[block.end - 1];
    const Flow flow = last.flow();
    const auto add = [&](std::uint32_t target) {
      if (target >= code.size()) {
        block.leaves = true;
      } else {
        block.successors.push_back(block_of_[target]);
      }
    };
    const bool stops =
        ends_line(flow) || (flow == Flow::kCall && never_returns(module, function, last));
    if (!stops || last.guarded) add(block.end);
    if (flow == Flow::kBranch || flow == Flow::kBranchTable) {
      for_each_target(function, last,
                      [&](LabelId label) { add(function.body.labels[raw(label)].target); });
    } else if (stops) {
      block.leaves = true;
    }
    // A table may name a block many times.
    std::vector<BlockId>& to = block.successors;
    if (to.size() > 1) {
      const BlockId first = to.front();
      std::sort(to.begin() + 1, to.end());
      to.erase(std::unique(to.begin() + 1, to.end()), to.end());
      to.erase(std::remove(to.begin() + 1, to.end(), first), to.end());
    }
  }
  for (std::uint32_t i = 0; i < blocks_.size(); ++i) {
    for (const BlockId to : blocks_[i].successors) {
      blocks_[raw(to)].predecessors.push_back(static_cast<BlockId>(i));
    }
  }
}

void Cfg::dominate() {
  Graph graph(blocks_.size());
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    for (const BlockId to : blocks_[i].successors) graph[i].push_back(raw(to));
  }
  const std::vector<std::uint32_t> found = immediate_dominators(graph, 0);
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    blocks_[i].dominator = static_cast<BlockId>(found[i]);
  }
}

// Dominators of the graph backwards, from one exit that all ends lead to.
void Cfg::post_dominate() {
  const auto exit = static_cast<std::uint32_t>(blocks_.size());
  Graph forward(blocks_.size());
  Graph backward(blocks_.size() + 1);
  for (std::uint32_t i = 0; i < blocks_.size(); ++i) {
    for (const BlockId to : blocks_[i].successors) {
      forward[i].push_back(raw(to));
      backward[raw(to)].push_back(i);
    }
    if (blocks_[i].leaves) backward[exit].push_back(i);
  }
  std::vector<bool> leads_out(backward.size());
  mark_reachable(backward, exit, leads_out);
  for (const std::uint32_t each : post_order(forward)) {
    if (leads_out[each]) continue;
    backward[exit].push_back(each);
    mark_reachable(backward, each, leads_out);
  }
  const std::vector<std::uint32_t> found = immediate_dominators(backward, exit);
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const bool inside = found[i] != kNoNode && found[i] != exit;
    blocks_[i].post_dominator = inside ? static_cast<BlockId>(found[i]) : BlockId::kNone;
  }
}

std::uint32_t Cfg::reconvergence(std::uint32_t branch) const {
  const BlockId meeting = block(block_of(branch)).post_dominator;
  return meeting == BlockId::kNone ? static_cast<std::uint32_t>(block_of_.size())
                                   : block(meeting).begin;
}

std::string describe(const Function& function, const Cfg& cfg) {
  const auto name = [](BlockId id) {
    return id == BlockId::kNone ? std::string("end") : "B" + std::to_string(raw(id));
  };
  std::vector<std::string> labels(cfg.blocks().size());
  for (const Label& label : function.body.labels) {
    if (label.target >= function.body.instructions.size()) continue;
    const BlockId id = cfg.block_of(label.target);
    if (cfg.block(id).begin == label.target) labels[raw(id)] += " " + std::string(label.name);
  }
  std::string text;
  for (std::uint32_t i = 0; i < cfg.blocks().size(); ++i) {
    const Block& block = cfg.blocks()[i];
    text += name(static_cast<BlockId>(i)) + " [" + std::to_string(block.begin) + ", " +
            std::to_string(block.end) + ") lines " +
            std::to_string(function.body.instructions[block.begin].line) + "-" +
            std::to_string(function.body.instructions[block.end - 1].line) + labels[i] + " ->";
    for (const BlockId to : block.successors) text += " " + name(to);
    if (block.leaves) text += " end";
    text += "; post-dominator " + name(block.post_dominator);
    if (i > 0) {
      text += block.dominator == BlockId::kNone ? "; never reached"
                                                : "; dominator " + name(block.dominator);
    }
    text += "\n";
  }
  return text;
}

}  // namespace redflag::ptx
