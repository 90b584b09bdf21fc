// Forms: which instruction a register's value comes from, and what it is if that depends.
//
// Of several definitions the one whose value alone can be there counts, if it is come by always. Else the register may
// be one that a loop goes on with by a term: then it is its first value and the term times the turns. Else nothing is
// known but the pointer that all definitions have in common.
#include <algorithm>

#include "frontends/cuda/prove/forms.h"

namespace redflag::prove {

using ptx::Instruction;
using ptx::RegId;

bool Forms::dominates(std::uint32_t instruction, std::uint32_t other) const {
  const std::uint32_t a = ptx::raw(cfg_.block_of(instruction)), b = ptx::raw(cfg_.block_of(other));
  return a == b ? instruction < other : loops_.dominates(a, b);
}

std::optional<std::uint32_t> Forms::definition(RegId reg, std::uint32_t at) const {
  const std::vector<std::uint32_t>& all = definitions_[ptx::raw(reg)];
  if (all.size() != 1) return reaching(reg, at);
  if (function_.body.instructions[all[0]].guarded || !dominates(all[0], at)) return {};
  return all[0];
}

bool Forms::reaches(std::uint32_t definition, std::uint32_t at,
                    const std::vector<std::uint32_t>& definitions) const {
  const auto ends = [&](std::uint32_t from, std::uint32_t to) {  // another one between
    return std::any_of(definitions.begin(), definitions.end(),
                       [&](std::uint32_t each) { return each >= from && each < to; });
  };
  const std::uint32_t begin = ptx::raw(cfg_.block_of(definition));
  const std::uint32_t end = ptx::raw(cfg_.block_of(at));
  const std::vector<ptx::Block>& blocks = cfg_.blocks();
  if (begin == end && definition < at && !ends(definition + 1, at)) return true;
  if (ends(definition + 1, blocks[begin].end)) return false;
  std::vector<bool> seen(blocks.size());
  std::vector<std::uint32_t> open{begin};
  while (!open.empty()) {
    const std::uint32_t from = open.back();
    open.pop_back();
    for (const ptx::BlockId each : blocks[from].successors) {
      const std::uint32_t next = ptx::raw(each);
      if (next == end && !ends(blocks[next].begin, at)) return true;
      if (seen[next] || ends(blocks[next].begin, blocks[next].end)) continue;
      seen[next] = true;
      open.push_back(next);
    }
  }
  return false;
}

std::optional<std::uint32_t> Forms::reaching(RegId reg, std::uint32_t at) const {
  const std::vector<std::uint32_t>& all = definitions_[ptx::raw(reg)];
  std::optional<std::uint32_t> found;
  for (const std::uint32_t each : all) {
    if (!reaches(each, at, all)) continue;
    if (found || function_.body.instructions[each].guarded || !dominates(each, at)) return {};
    found = each;
  }
  return found;
}

Form Forms::made_by(std::uint32_t definition, unsigned bits) {
  ++depth_;
  Form made = result(definition);
  --depth_;
  if (bits != 64 && !made.is_exact && made.symbol < 0) made.is_wild = false;
  return made;
}

// A loop goes on with it, or several ways lead here: then only what all agree about is known.
Form Forms::of_many(RegId reg, std::uint32_t at) {
  const std::uint32_t index = ptx::raw(reg);
  const unsigned bits = ptx::info(function_.body.registers[index].type).bits;
  if (const std::optional<std::uint32_t> from = reaching(reg, at)) return made_by(*from, bits);
  const std::optional<Induction>& found = induction(reg);
  if (found && loops_.all()[found->loop].has[ptx::raw(cfg_.block_of(at))]) {
    if (const std::optional<int> turns = ahead(*found, at)) {
      Form made = sum(found->first, scaled(variable(kFirstLoop + found->loop), found->step), false);
      if (*turns != 0) made = sum(made, term(found->step), false);
      return made;
    }
  }
  is_open_[index] = true;
  ++depth_;
  std::optional<Form> all;
  for (const std::uint32_t each : definitions_[index]) {
    Form one = result(each);
    const bool is_self = std::any_of(one.parts.begin(), one.parts.end(), [&](const Part& part) {
      return part.variable == kSelf + index;
    });
    if (is_self && one.pointers.empty() && one.symbol < 0 && !one.is_wild) continue;
    if (has_open(one)) one.is_wild = true;  // of others, which are not known yet
    if (all && (all->pointers != one.pointers || all->symbol != one.symbol)) one.is_wild = true;
    all = std::move(one);
    if (all->is_wild) break;
  }
  --depth_;
  is_open_[index] = false;
  Form made = unknown(bits);
  if (!all || all->is_wild) return made;
  made.is_wild = false;
  made.pointers = all->pointers;
  made.symbol = all->symbol;
  return made;
}

const std::optional<Forms::Induction>& Forms::induction(RegId reg) {
  std::optional<std::optional<Induction>>& known = inductions_[ptx::raw(reg)];
  if (!known) {
    known.emplace();
    // Whoever asks on the way gets none, so that this ends.
    std::optional<Induction> found = find_induction(reg);
    inductions_[ptx::raw(reg)] = std::move(found);
  }
  return *inductions_[ptx::raw(reg)];
}

// Whether the loop is never entered again without coming by the block.
bool Forms::begins_anew(const NaturalLoop& loop, std::uint32_t block) const {
  return std::all_of(loops_.all().begin(), loops_.all().end(), [&](const NaturalLoop& around) {
    return around.header == loop.header || !around.has[loop.header] || around.has[block];
  });
}

std::optional<Forms::Induction> Forms::find_induction(RegId reg) {
  const std::uint32_t index = ptx::raw(reg);
  const std::vector<std::uint32_t>& all = definitions_[index];
  if (all.size() != 2) return {};
  for (const std::uint32_t add : all) {
    const std::uint32_t other = add == all[0] ? all[1] : all[0];
    const std::uint32_t block = ptx::raw(cfg_.block_of(add));
    const int loop = loops_.innermost(block);
    if (loop < 0) continue;
    const NaturalLoop& turns = loops_.all()[static_cast<std::size_t>(loop)];
    const Instruction& goes_on = function_.body.instructions[add];
    if (goes_on.guarded || function_.body.instructions[other].guarded) continue;
    if (turns.has[ptx::raw(cfg_.block_of(other))]) continue;
    if (!loops_.dominates(ptx::raw(cfg_.block_of(other)), turns.header)) continue;
    if (!begins_anew(turns, ptx::raw(cfg_.block_of(other)))) continue;
    // Once in every turn.
    if (!std::all_of(turns.latches.begin(), turns.latches.end(),
                     [&](std::uint32_t latch) { return loops_.dominates(block, latch); })) {
      continue;
    }
    is_open_[index] = true;
    open_in_[index] = loop;
    ++depth_;
    Form step = result(add);
    --depth_;
    is_open_[index] = false;
    open_in_[index] = -1;
    const auto self = std::find_if(step.parts.begin(), step.parts.end(), [&](const Part& part) {
      return part.variable == kSelf + index;
    });
    if (self == step.parts.end() || terms_.literal(self->by) != 1) continue;
    step.parts.erase(self);
    const std::optional<TermId> by = as_term(step);
    if (!by) continue;
    Induction made;
    made.step = *by;
    made.add = add;
    made.loop = static_cast<std::uint32_t>(loop);
    ++depth_;
    made.first = result(other);
    --depth_;
    if (has_open(made.first)) return {};
    return made;
  }
  return {};
}

std::optional<int> Forms::ahead(const Induction& of, std::uint32_t at) const {
  if (at == of.add) return 0;
  if (dominates(of.add, at)) return 1;  // in every turn, since in the first
  const NaturalLoop& loop = loops_.all()[of.loop];
  if (!loops_.reaches_in_turn(loop, of.add, at)) return 0;
  return {};
}

}  // namespace redflag::prove
