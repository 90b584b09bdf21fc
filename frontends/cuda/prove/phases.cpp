#include "frontends/cuda/prove/phases.h"

#include <algorithm>
#include <set>

#include "frontends/cuda/ptx/walk.h"

namespace redflag::prove {

using ptx::Instruction;
using ptx::Op;
using ptx::Operand;

namespace {

constexpr std::uint8_t kMostTurns = 2;  // that are told apart
constexpr std::size_t kMostWays = 64;   // from one barrier

// Whether threads can part at its end: one side may be the end of the thread.
bool parts_here(const ptx::Block& block) {
  return block.successors.size() + (block.leaves ? 1 : 0) > 1;
}

}  // namespace

Phases::Phases(const ptx::Function& function, const ptx::Cfg& cfg, const Loops& loops,
               const std::vector<Role>& roles, const std::vector<bool>& trusted, bool of_grid)
    : function_(function),
      cfg_(cfg),
      loops_(loops),
      roles_(roles),
      trusted_(trusted),
      of_grid_(of_grid),
      decides_(cfg.blocks().size()),
      is_divergent_(cfg.blocks().size()),
      varies_(function.body.registers.size()) {
  const std::vector<ptx::Block>& blocks = cfg.blocks();
  for (std::uint32_t i = 0; i < blocks.size(); ++i) {
    if (!parts_here(blocks[i])) continue;
    for (const ptx::BlockId each : blocks[i].successors) {
      for (ptx::BlockId at = each; at != ptx::BlockId::kNone && at != blocks[i].post_dominator;
           at = blocks[ptx::raw(at)].post_dominator) {
        decides_[i].push_back(ptx::raw(at));
      }
    }
  }
  find_varying();
  const std::vector<Instruction>& all = function.body.instructions;
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    if (roles[i] != Role::kBarrier) continue;
    const bool is_bad = all[i].guarded || is_divergent_[ptx::raw(cfg.block_of(i))];
    is_even_ = is_even_ && !is_bad;
  }
  for (std::uint32_t i = 0; i < blocks.size(); ++i) {
    if (parts_here(blocks[i]) && is_varying_branch(i) && leaves_unordered(i)) is_even_ = false;
  }
}

bool Phases::reads_varying(const Operand& operand) const {
  if (operand.is_register() || operand.has_base_register()) {
    if (varies_[operand.index]) return true;
  }
  if (operand.kind == ptx::OperandKind::kSpecial) {
    const ptx::Special is = operand.special();
    const bool is_same = is == ptx::Special::kNtid || is == ptx::Special::kNctaid ||
                         is == ptx::Special::kEnvreg || (is == ptx::Special::kCtaid && !of_grid_);
    if (!is_same) return true;
  }
  const auto parts = operand.parts();
  return std::any_of(parts.begin(), parts.end(),
                     [&](const Operand& part) { return reads_varying(part); });
}

bool Phases::makes_varying(std::uint32_t index) const {
  const Instruction& from = function_.body.instructions[index];
  if (from.op == Op::kUnknown || from.flow() == ptx::Flow::kCall) return true;
  const ptx::Space space = from.modifiers.space;
  const bool is_given =
      from.op == Op::kLd && (space == ptx::Space::kParam || space == ptx::Space::kParamEntry ||
                             space == ptx::Space::kConst);
  if (from.effect() != ptx::Effect::kNone && !is_given && !trusted_[index]) return true;
  if (from.op == Op::kActivemask) return true;
  if (from.guarded && varies_[ptx::raw(from.guard)]) return true;
  const auto operands = from.operands();
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (role_of(from, i) != ptx::Role::kDestination && reads_varying(operands[i])) return true;
  }
  return false;
}

bool Phases::reaches_something(std::uint32_t block, bool barriers_only) const {
  std::vector<bool> seen(cfg_.blocks().size());
  std::vector<std::uint32_t> open{block};
  while (!open.empty()) {
    const std::uint32_t at = open.back();
    open.pop_back();
    if (seen[at]) continue;
    seen[at] = true;
    const ptx::Block& here = cfg_.blocks()[at];
    for (std::uint32_t i = here.begin; i < here.end; ++i) {
      if (roles_[i] == Role::kBarrier || (!barriers_only && roles_[i] != Role::kNone)) return true;
    }
    for (const ptx::BlockId each : here.successors) open.push_back(ptx::raw(each));
  }
  return false;
}
bool Phases::is_way_out(std::uint32_t block) const {
  const ptx::Block& here = cfg_.blocks()[block];
  return here.leaves ||
         std::any_of(here.successors.begin(), here.successors.end(),
                     [&](ptx::BlockId each) { return !reaches_something(ptx::raw(each)); });
}
// Whether a thread that ends by the way out has accessed something since its last barrier, and others come to one more.
bool Phases::leaves_unordered(std::uint32_t block) const {
  const std::vector<ptx::Block>& blocks = cfg_.blocks();
  const auto& to = blocks[block].successors;
  if (!is_way_out(block) || std::none_of(to.begin(), to.end(), [&](ptx::BlockId each) {
        return reaches_something(ptx::raw(each), true);
      })) {
    return false;
  }
  const auto look = [&](std::uint32_t i) {
    return roles_[i] == Role::kAccess    ? ptx::Step::kFound
           : roles_[i] == Role::kBarrier ? ptx::Step::kOver
                                         : ptx::Step::kOn;
  };
  return walk_back(cfg_, static_cast<ptx::BlockId>(block), blocks[block].end, look).has_found;
}

// Whether threads of a block may go different ways from here.
bool Phases::is_varying_branch(std::uint32_t block) const {
  const ptx::Block& here = cfg_.blocks()[block];
  if (!parts_here(here) || here.begin == here.end) return false;
  const Instruction& last = function_.body.instructions[here.end - 1];
  if (last.flow() == ptx::Flow::kBranchTable) return true;
  return last.guarded && varies_[ptx::raw(last.guard)];
}

// Registers that are read where their definition need not have been come by, in this turn of a loop.
std::vector<bool> Phases::find_loose() const {
  const std::vector<Instruction>& all = function_.body.instructions;
  constexpr std::uint32_t kNobody = 0xffffffff;
  std::vector<std::uint32_t> definition(varies_.size(), kNobody);
  std::vector<bool> out(varies_.size());
  for (const bool reads : {false, true}) {
    for (std::uint32_t i = 0; i < all.size(); ++i) {
      const std::uint32_t block = ptx::raw(cfg_.block_of(i));
      const auto visit = [&](std::uint32_t reg) {
        if (!reads) {
          definition[reg] = i;
          return;
        }
        const std::uint32_t from = definition[reg];
        if (from == kNobody) return;
        const std::uint32_t there = ptx::raw(cfg_.block_of(from));
        out[reg] = out[reg] || !(there == block ? from < i : loops_.dominates(there, block));
      };
      const auto visit_all = [&](const Operand& operand, auto&& self) -> void {
        if (operand.is_register() || operand.has_base_register()) visit(operand.index);
        for (const Operand& part : operand.parts()) self(part, self);
      };
      if (reads && all[i].guarded) visit(ptx::raw(all[i].guard));
      const auto operands = all[i].operands();
      for (std::size_t k = 0; k < operands.size(); ++k) {
        if ((role_of(all[i], k) != ptx::Role::kDestination) == reads) {
          visit_all(operands[k], visit_all);
        }
      }
    }
  }
  return out;
}

void Phases::find_varying() {
  const std::vector<Instruction>& all = function_.body.instructions;
  const std::size_t count = cfg_.blocks().size();
  std::vector<std::uint32_t> definitions(varies_.size());
  std::vector<bool> is_out(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    is_out[i] = parts_here(cfg_.blocks()[i]) && is_way_out(i);
  }
  const auto each_result = [&](const Instruction& from, auto&& what) {
    const auto visit = [&](const Operand& operand, auto&& self) -> void {
      if (operand.is_register()) what(operand.index);
      for (const Operand& part : operand.parts()) self(part, self);
    };
    const auto operands = from.operands();
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (role_of(from, i) == ptx::Role::kDestination || from.op == Op::kUnknown) {
        visit(operands[i], visit);
      }
    }
  };
  for (const Instruction& each : all) {
    each_result(each, [&](std::uint32_t reg) { ++definitions[reg]; });
  }
  const std::vector<bool> is_loose = find_loose();
  for (bool again = true; again;) {
    again = false;
    for (std::uint32_t i = 0; i < all.size(); ++i) {
      const bool is_divergent = is_divergent_[ptx::raw(cfg_.block_of(i))];
      const bool varies = makes_varying(i);
      each_result(all[i], [&](std::uint32_t reg) {
        if (varies_[reg] || !(varies || (is_divergent && (definitions[reg] > 1 || is_loose[reg]))))
          return;
        varies_[reg] = again = true;
      });
    }
    for (std::uint32_t i = 0; i < count; ++i) {
      // Who has not ended goes on together, if all that came here have.
      if (!is_divergent_[i] && (is_out[i] || !is_varying_branch(i))) continue;
      for (const std::uint32_t each : decides_[i]) {
        if (is_divergent_[each]) continue;
        is_divergent_[each] = again = true;
      }
    }
  }
}

bool Phases::is_taken_alike(std::uint32_t block, const std::vector<Turn>& turns) const {
  if (is_divergent_[block] || is_varying_branch(block)) return false;
  // Not twice in one phase: it may go another way then.
  for (std::size_t i = 0; i < turns.size(); ++i) {
    if (loops_.all()[i].has[block] && turns[i].since == Turn::Since::kAny) return false;
  }
  return true;
}

std::vector<Phases::Reached> Phases::explore(const State& start, std::uint32_t from,
                                             const Choices& choices,
                                             std::optional<State>& open_branch) const {
  std::vector<Reached> out;
  std::set<State> seen;
  std::vector<std::pair<State, std::uint32_t>> open{{start, from}};
  while (!open.empty()) {
    const auto [state, begin] = open.back();
    open.pop_back();
    const auto& [at, turns] = state;
    const ptx::Block& here = cfg_.blocks()[at];
    bool is_over = false;
    for (std::uint32_t i = begin; i < here.end && !is_over; ++i) {
      is_over = roles_[i] == Role::kBarrier;
      if (roles_[i] == Role::kAccess) out.push_back({i, turns});
    }
    if (is_over) continue;
    const auto chosen = choices.find(state);
    if (here.successors.size() > 1 && chosen == choices.end() && is_taken_alike(at, turns)) {
      open_branch = state;
      return {};
    }
    for (const ptx::BlockId each : here.successors) {
      const std::uint32_t next = ptx::raw(each);
      if (chosen != choices.end() && chosen->second != next) continue;
      State to{next, turns};
      for (std::size_t k = 0; k < turns.size(); ++k) {
        const NaturalLoop& loop = loops_.all()[k];
        Turn& turn = to.second[k];
        if (!loop.has[next]) {
          turn = {};
        } else if (next == loop.header && !loop.has[at]) {
          turn = {Turn::Since::kEntry, 0};
        } else if (next == loop.header && turn.since != Turn::Since::kAny) {
          turn = turn.count + 1 < kMostTurns
                     ? Turn{turn.since, static_cast<std::uint8_t>(turn.count + 1)}
                     : Turn{};
        }
      }
      if (seen.insert(to).second) open.push_back({to, cfg_.blocks()[next].begin});
    }
  }
  return out;
}

void Phases::behind(const State& start, std::uint32_t from, Choices& choices,
                    std::vector<std::vector<Reached>>& out, std::size_t most) const {
  if (out.size() >= most) return;
  std::optional<State> open;
  std::vector<Reached> reached = explore(start, from, choices, open);
  if (!open) {
    out.push_back(std::move(reached));
    return;
  }
  for (const ptx::BlockId each : cfg_.blocks()[open->first].successors) {
    choices[*open] = ptx::raw(each);
    behind(start, from, choices, out, most);
    choices.erase(*open);
  }
}

std::vector<std::vector<Phases::Reached>> Phases::all() const {
  std::vector<std::vector<Reached>> out;
  const std::vector<Turn> none(loops_.all().size());
  const auto everything = [&] {
    std::vector<Reached> one;
    for (std::uint32_t i = 0; i < roles_.size(); ++i) {
      if (roles_[i] == Role::kAccess) one.push_back({i, none});
    }
    return std::vector<std::vector<Reached>>{one};
  };
  if (!is_even_) return everything();
  if (roles_.empty()) return out;
  const auto add = [&](std::uint32_t block, std::uint32_t from, bool is_barrier) {
    State start{block, none};
    for (std::size_t k = 0; k < none.size() && is_barrier; ++k) {
      // Where some go round more often before they come to the barrier, they have not made as many turns.
      const NaturalLoop& loop = loops_.all()[k];
      if (loop.has[block] && !is_divergent_[loop.header]) {
        start.second[k] = {Turn::Since::kBarrier, 0};
      }
    }
    Choices choices;
    const std::size_t before = out.size();
    behind(start, from, choices, out, before + kMostWays);
    return out.size() < before + kMostWays;
  };
  bool is_complete = add(0, 0, false);
  for (std::uint32_t i = 0; i < roles_.size() && is_complete; ++i) {
    if (roles_[i] == Role::kBarrier) is_complete = add(ptx::raw(cfg_.block_of(i)), i + 1, true);
  }
  if (!is_complete) return everything();
  return out;
}

}  // namespace redflag::prove
