#include "frontends/cuda/prove/describe.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "frontends/cuda/prove/compare.h"
#include "frontends/cuda/prove/forms.h"
#include "frontends/cuda/ptx/walk.h"

namespace redflag::prove {

using ptx::Instruction;
using ptx::Op;

namespace {

bool has_loops(const Form& form) {
  return std::any_of(form.parts.begin(), form.parts.end(),
                     [](const Part& each) { return each.variable >= kFirstLoop; });
}
// Takes the part out; what it was multiplied by.
TermId without(Form& form, Variable variable) {
  for (auto at = form.parts.begin(); at != form.parts.end(); ++at) {
    if (at->variable != variable) continue;
    const TermId by = at->by;
    form.parts.erase(at);
    return by;
  }
  return kZero;
}

class Describer {
 public:
  Describer(const ptx::Module& module, const ptx::Function& function, const std::vector<Told>& told)
      : function_(function),
        told_(told),
        cfg_(module, function),
        loops_(cfg_),
        forms_(module, function, cfg_, loops_, made_) {}

  Described make() {
    const std::vector<Instruction>& all = function_.body.instructions;
    const bool is_remote = std::any_of(
        all.begin(), all.end(), [](const Instruction& each) { return each.op == Op::kMapa; });
    const bool counts_clusters = function_.directive(".blocksareclusters") != nullptr;
    if (is_remote) return none("it accesses shared memory of other blocks");
    if (counts_clusters) return none("its grid is given in clusters, not blocks");
    if (!loops_.is_reducible()) return none("its control flow is irreducible (a jump into a loop)");
    std::vector<Role> roles;
    for (const Told& each : told_) roles.push_back(each.role);
    for (std::uint32_t i = 0; i < told_.size(); ++i) {
      if (told_[i].role == Role::kAccess) add_access(i);
    }
    if (made_.accesses.size() > kMostAccesses) {
      return none("it has " + std::to_string(made_.accesses.size()) + " accesses, more than " +
                  std::to_string(kMostAccesses));
    }
    add_bounds();
    const bool has_barriers = std::count(roles.begin(), roles.end(), Role::kBarrier) != 0;
    std::vector<bool> trusted = loads_of_shared();
    do {
      const Phases phases(function_, cfg_, loops_, roles, trusted);
      // Lanes at two barriers are a finding of their own.
      if (has_barriers && !phases.is_even()) {
        return none(
            "not all threads of a block reach each barrier, or a thread that accessed memory exits "
            "before the next barrier");
      }
      if (!add_pairs(phases, true, made_.together)) return too_many_pairs();
    } while (distrust(trusted));
    if (!add_grid_pairs(roles)) return too_many_pairs();
    made_.terms = forms_.terms().take();
    made_.is_possible = true;
    return {std::move(made_), {}};
  }

 private:
  static Described none(std::string why) { return {{}, std::move(why)}; }
  static Described too_many_pairs() {
    return none("it has more than " + std::to_string(kMostPairs) + " pairs of accesses to compare");
  }
  void add_access(std::uint32_t i) {
    Access access = told_[i].access;
    access.instruction = i;
    access.address = forms_.of_address(*told_[i].address, i);
    if (access.memory == Memory::kAny && !access.address.pointers.empty() &&
        !access.address.is_wild && !forms_.has_taken_away(access.address)) {
      access.memory = Memory::kGlobal;
    }
    const bool is_placed = access.memory == Memory::kShared ? access.address.symbol >= 0
                                                            : !access.address.pointers.empty();
    if (!is_placed || access.address.is_wild || forms_.has_taken_away(access.address)) {
      access.address.is_exact = false;
      access.address.is_wild = true;
    }
    const Instruction& from = function_.body.instructions[i];
    if (from.guarded) add_guards(from.guard, !from.guard_negated, i, access);
    const std::vector<ptx::Block>& blocks = cfg_.blocks();
    for (std::uint32_t at = ptx::raw(cfg_.block_of(i));;) {
      const ptx::BlockId up = blocks[at].dominator;
      if (up == ptx::BlockId::kNone) break;
      // The only way here is from there.
      if (blocks[at].predecessors.size() == 1 && blocks[at].predecessors[0] == up) {
        const ptx::Block& from_block = blocks[ptx::raw(up)];
        const std::uint32_t last = from_block.end - 1;
        const Instruction& branch = function_.body.instructions[last];
        if (branch.op == Op::kBra && branch.guarded && from_block.successors.size() == 2) {
          const bool is_taken = ptx::raw(from_block.successors[1]) == at;
          add_guards(branch.guard, is_taken != branch.guard_negated, last, access);
        }
      }
      at = ptx::raw(up);
    }
    index_[i] = static_cast<std::uint32_t>(made_.accesses.size());
    made_.accesses.push_back(std::move(access));
  }

  std::vector<bool> loads_of_shared() const {
    std::vector<bool> out(told_.size());
    for (std::size_t i = 0; i < told_.size(); ++i) {
      const Access& access = told_[i].access;
      out[i] = told_[i].role == Role::kAccess && access.memory == Memory::kShared &&
               !access.writes && !access.is_atomic;
    }
    return out;
  }
  // Takes out loads from where somebody writes in the same phase; whether there was one.
  bool distrust(std::vector<bool>& trusted) const {
    bool found = false;
    const auto take_out = [&](const Access& load, const Access& other) {
      if (!other.writes || !trusted[load.instruction]) return;
      trusted[load.instruction] = false;
      found = true;
    };
    for (const Together& pair : made_.together) {
      take_out(made_.accesses[pair.first], made_.accesses[pair.second]);
      take_out(made_.accesses[pair.second], made_.accesses[pair.first]);
    }
    return found;
  }

  // What the kernel was given in 64 bits is compared as the number that it is, also if it is a pointer. Only of the
  // driver's address nothing is known.
  bool is_number(const Form& form) const {
    return form.is_exact && !form.is_wild && form.symbol < 0 && !forms_.has_system(form);
  }
  std::optional<Comparison> comparison(std::uint32_t test, bool holds) {
    const Instruction& from = function_.body.instructions[test];
    const std::optional<Test> is = test_of(from);
    if (!is) return std::nullopt;
    Comparison made;
    made.left = forms_.of(from.operands()[1], test);
    made.right = forms_.of(from.operands()[2], test);
    made.relation = holds ? is->relation : opposite(is->relation);
    made.is_signed = is->kind.is_signed;
    made.is_narrow = is->kind.bits == 32;
    if (!is_number(made.left) || !is_number(made.right)) return std::nullopt;
    return made;
  }

  void add_guards(ptx::RegId predicate, bool holds, std::uint32_t at, Access& to) {
    const std::optional<std::uint32_t> from = forms_.definition(predicate, at);
    if (!from) return;
    const Instruction& test = function_.body.instructions[*from];
    const auto operands = test.operands();
    const bool is_both = (test.op == Op::kAnd && holds) || (test.op == Op::kOr && !holds);
    if (is_both || test.op == Op::kNot) {
      const bool inner = test.op == Op::kNot ? !holds : holds;
      for (std::size_t i = 1; i < operands.size(); ++i) {
        if (!operands[i].is_register()) continue;
        add_guards(operands[i].reg(), inner != operands[i].negated, *from, to);
      }
      return;
    }
    const std::optional<Comparison> made = comparison(*from, holds);
    if (!made || has_loops(made->left) || has_loops(made->right)) return;
    const auto known = std::find(made_.guards.begin(), made_.guards.end(), *made);
    to.guards.push_back(static_cast<std::uint32_t>(known - made_.guards.begin()));
    if (known == made_.guards.end()) made_.guards.push_back(*made);
  }

  void add_bounds() {
    const std::vector<ptx::Block>& blocks = cfg_.blocks();
    for (std::uint32_t i = 0; i < loops_.all().size(); ++i) {
      const NaturalLoop& loop = loops_.all()[i];
      Loop& made = made_.loops.emplace_back();
      for (std::uint32_t b = 0; b < blocks.size(); ++b) {
        if (!loop.has[b] || blocks[b].successors.size() != 2) continue;
        const bool is_always =
            std::all_of(loop.latches.begin(), loop.latches.end(),
                        [&](std::uint32_t latch) { return loops_.dominates(b, latch); });
        const bool stays[] = {loop.has[ptx::raw(blocks[b].successors[0])],
                              loop.has[ptx::raw(blocks[b].successors[1])]};
        const Instruction& branch = function_.body.instructions[blocks[b].end - 1];
        if (!is_always || stays[0] == stays[1] || branch.op != Op::kBra || !branch.guarded)
          continue;
        const std::optional<std::uint32_t> test =
            forms_.definition(branch.guard, blocks[b].end - 1);
        if (!test || loops_.innermost(ptx::raw(cfg_.block_of(*test))) != static_cast<int>(i)) {
          continue;
        }
        std::optional<Comparison> first = comparison(*test, stays[1] != branch.guard_negated);
        if (!first) continue;
        Bound bound;
        const TermId left = without(first->left, kFirstLoop + i);
        const TermId right = without(first->right, kFirstLoop + i);
        bound.step = forms_.terms().add(left, forms_.terms().negate(right));
        if (forms_.terms().literal(right) != 0) continue;
        bound.first = std::move(*first);
        made.bounds.push_back(std::move(bound));
      }
    }
  }

  bool is_of_system(const Access& access) const {
    const Form& form = access.address;
    return !form.is_wild && form.pointers.size() == 1 && forms_.has_system(form);
  }
  // Whether the barrier is the second one of grid.sync: between it and the one before, blocks count themselves in the
  // driver's memory and wait for all, and nothing else is accessed.
  bool is_of_grid(std::uint32_t barrier) const {
    bool counts = false, waits = false;
    const auto look = [&](std::uint32_t i) {
      if (told_[i].role == Role::kBarrier) return ptx::Step::kOver;
      if (told_[i].role != Role::kAccess) return ptx::Step::kOn;
      const Access& access = made_.accesses[index_.at(i)];
      if (!is_of_system(access) || !access.is_atomic) return ptx::Step::kFound;
      (access.writes ? counts : waits) = true;
      return ptx::Step::kOn;
    };
    const ptx::Walked walked = walk_back(cfg_, cfg_.block_of(barrier), barrier, look);
    // From the kernel's begin there is no first barrier.
    return !walked.has_found && !walked.comes_from_begin && counts && waits;
  }
  bool add_grid_pairs(const std::vector<Role>& of_block) {
    std::vector<Role> roles = of_block;
    bool has_any = false;
    for (std::uint32_t i = 0; i < roles.size(); ++i) {
      if (roles[i] != Role::kBarrier) continue;
      if (is_of_grid(i)) {
        has_any = true;
      } else {
        roles[i] = Role::kNone;
      }
    }
    if (!has_any) return true;
    const std::vector<bool> trusted(roles.size());
    const Phases phases(function_, cfg_, loops_, roles, trusted, true);
    made_.has_grid_barriers = phases.is_even();
    return !made_.has_grid_barriers || add_pairs(phases, false, made_.across);
  }

  bool add_pairs(const Phases& phases, bool same_block, std::vector<Together>& to) {
    std::set<Together> pairs;
    for (const std::vector<Phases::Reached>& phase : phases.all()) {
      for (std::size_t i = 0; i < phase.size(); ++i) {
        for (std::size_t j = i; j < phase.size(); ++j) {
          const Phases::Reached* a = &phase[i];
          const Phases::Reached* b = &phase[j];
          if (a->instruction > b->instruction) std::swap(a, b);
          Together pair{index_[a->instruction], index_[b->instruction], {}};
          const Access& first = made_.accesses[pair.first];
          const Access& second = made_.accesses[pair.second];
          if (!may_race(first, second, same_block) || !may_meet(first, second)) continue;
          for (std::uint32_t k = 0; k < a->turns.size(); ++k) {
            const Tie tie{k, a->turns[k], b->turns[k]};
            if (tie.first != Turn{} || tie.second != Turn{}) pair.ties.push_back(tie);
          }
          pairs.insert(std::move(pair));
          if (pairs.size() > kMostPairs) return false;
        }
      }
    }
    to.assign(pairs.begin(), pairs.end());
    return true;
  }

  const ptx::Function& function_;
  const std::vector<Told>& told_;
  Proof made_;
  ptx::Cfg cfg_;
  Loops loops_;
  Forms forms_;
  std::map<std::uint32_t, std::uint32_t> index_;  // of accesses, by instruction
};

}  // namespace

bool may_race(const Access& a, const Access& b, bool same_block) {
  if (!a.writes && !b.writes) return false;
  if (!a.is_atomic || !b.is_atomic || a.bytes != b.bytes) return true;
  return !same_block && (a.is_narrow || b.is_narrow);
}

bool may_meet(const Access& a, const Access& b) {
  if (a.memory != b.memory) return a.memory == Memory::kAny || b.memory == Memory::kAny;
  if (a.memory != Memory::kShared) return true;
  const bool is_known =
      a.address.symbol >= 0 && b.address.symbol >= 0 && !a.address.is_wild && !b.address.is_wild;
  return !is_known || a.address.symbol == b.address.symbol;
}

Described describe(const ptx::Module& module, const ptx::Function& kernel,
                   const std::vector<Told>& told) {
  return Describer(module, kernel, told).make();
}

}  // namespace redflag::prove
