#include "frontends/cpu/pass/gathered.h"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>

#include "frontends/cpu/pass/span.h"

namespace redflag::pass {
namespace {

using llvm::BasicBlock;
using llvm::IRBuilder;
using llvm::PHINode;
using llvm::SCEV;
using llvm::Value;

// Loaded again in each iteration, from one place.
bool is_reloaded(const QuietLoop& loop, const SCEV* value) {
  const auto* unknown = llvm::dyn_cast<llvm::SCEVUnknown>(value);
  const auto* load =
      unknown == nullptr ? nullptr : llvm::dyn_cast<llvm::LoadInst>(unknown->getValue());
  return load != nullptr && loop.loop().contains(load) &&
         loop.loop().isLoopInvariant(load->getPointerOperand());
}

// What is walked times what is loaded again: it moves by a step that is most likely the same.
bool moves_evenly(const QuietLoop& loop, const SCEV* value) {
  const auto* product = llvm::dyn_cast<llvm::SCEVMulExpr>(value);
  if (product == nullptr) return false;
  unsigned walks = 0;
  for (const SCEV* factor : product->operands()) {
    if (loop.walk(factor) != nullptr) {
      ++walks;
    } else if (!loop.is_invariant(factor) && !is_reloaded(loop, factor)) {
      return false;
    }
  }
  return walks == 1;
}

// Accesses that are gathered as one: the first of them that an iteration comes by, and with each how far
// it is from that.
struct Walk {
  llvm::SmallVector<std::pair<Check, std::int64_t>, 4> checks;
  const SCEV* formula = nullptr;  // of the first's address, without its constant
  std::int64_t offset = 0;        // that constant
  const SCEV* step = nullptr;     // nullptr: it is seen when the second access is made

  const Check& first() const { return checks.front().first; }
};

std::optional<Walk> walk_of(const QuietLoop& loop, const Check& check) {
  const SCEV* const address = loop.evolution().getSCEV(check.address());
  const auto* sum = llvm::dyn_cast<llvm::SCEVAddExpr>(address);
  // What a loop inside of this one does is more than one access in each iteration.
  const BasicBlock* const block = check.call().getParent();
  const bool inside = llvm::any_of(loop.loop().getSubLoops(),
                                   [&](const llvm::Loop* inner) { return inner->contains(block); });
  if (sum == nullptr || inside || !loop.is_sure_at_exits(block)) return std::nullopt;
  const SCEV* step = nullptr;
  bool evenly = false;  // some part does, and all others stay where they are
  bool others_stay = true;
  for (const SCEV* part : sum->operands()) {
    if (const auto* walk = loop.walk(part); walk != nullptr) {
      if (step != nullptr) return std::nullopt;
      step = walk->getStepRecurrence(loop.evolution());
    } else if (moves_evenly(loop, part)) {
      evenly = true;
    } else {
      others_stay = others_stay && (loop.is_invariant(part) || is_reloaded(loop, part));
    }
  }
  if (evenly) step = nullptr;
  if (evenly ? !others_stay : step == nullptr || !loop.can_expand(step)) return std::nullopt;
  const auto [formula, offset] = without_constant(address, loop.evolution());
  return Walk{{{check, 0}}, formula, offset, step};
}

// A value that the loop's iterations hand on.
struct Kept {
  PHINode* before;           // what it was when the iteration began
  Value* after = nullptr;    // what the access made of it
  llvm::Constant* at_first;  // when the loop begins

  Kept(const QuietLoop& loop, llvm::Constant* first, const char* name) : at_first(first) {
    IRBuilder<> builder(loop.loop().getHeader(), loop.loop().getHeader()->begin());
    before = builder.CreatePHI(first->getType(), 2, name);
  }
  void set(const QuietLoop& loop, Value* value) {
    after = value;
    for (BasicBlock* from : llvm::predecessors(loop.loop().getHeader())) {
      before->addIncoming(from == loop.latch() ? after : at_first, from);
    }
  }
  // At the begin of an exit, of an access in `block`.
  Value* at(const QuietLoop& loop, BasicBlock* exit, const BasicBlock* block) const {
    IRBuilder<> at_top(exit, exit->begin());
    PHINode* const value = at_top.CreatePHI(before->getType(), 2);
    for (BasicBlock* from : llvm::predecessors(exit)) {
      value->addIncoming(loop.dominates(block, from) ? after : before, from);
    }
    return value;
  }
};

void gather(const QuietLoop& loop, const Walk& walk) {
  const Check& check = walk.first();
  BasicBlock* const block = check.call().getParent();
  const bool learns = walk.step == nullptr;
  Value* const known_step = learns ? nullptr : loop.expand(walk.step);
  IRBuilder<> builder(&check.call());
  llvm::Constant* const none = builder.getInt64(0);
  llvm::Constant* const nowhere = llvm::ConstantPointerNull::get(builder.getPtrTy());
  // Where it goes on; of a walk that learns its step, where it was.
  Kept first(loop, nowhere, "redflag.first");
  Kept next(loop, nowhere, learns ? "redflag.last" : "redflag.next");
  Kept count(loop, none, "redflag.gathered");
  std::optional<Kept> step;
  if (learns) step.emplace(loop, none, "redflag.step");
  // What was gathered, of each access.
  const auto ranges = [&](IRBuilder<>& at, Value* from, Value* apart, Value* so_many,
                          Range::Gathered when) {
    llvm::SmallVector<Value*, 4>
        starts;  // first, so that the ranges stand side by side (lower.cpp)
    for (const auto& [each, offset] : walk.checks) {
      const auto bytes = static_cast<std::uint64_t>(offset);
      starts.push_back(offset == 0 ? from : at.CreateConstGEP1_64(at.getInt8Ty(), from, bytes));
    }
    for (std::size_t i = 0; i < starts.size(); ++i) {
      const Check& each = walk.checks[i].first;
      at.SetCurrentDebugLocation(each.call().getDebugLoc());
      Range::create(at, starts[i], apart, so_many, each.size(), each.kind()).set_gathered(when);
    }
  };
  Value* goes_on = nullptr;
  if (learns) {
    Value* const here = builder.CreatePtrToInt(check.address(), builder.getInt64Ty());
    Value* const there = builder.CreatePtrToInt(next.before, builder.getInt64Ty());
    Value* const apart = builder.CreateSub(here, there, "redflag.apart");
    Value* const even = builder.CreateICmpEQ(apart, step->before);
    Value* const second = builder.CreateICmpEQ(count.before, builder.getInt64(1));
    goes_on = builder.CreateOr(even, second);
    step->set(loop, apart);
  } else {
    goes_on = builder.CreateICmpEQ(check.address(), next.before);
  }
  first.set(loop, builder.CreateSelect(goes_on, first.before, check.address()));
  next.set(loop, learns ? check.address()
                        : builder.CreateGEP(builder.getInt8Ty(), check.address(), known_step));
  Value* const so_far = builder.CreateSelect(goes_on, count.before, none);
  count.set(loop, builder.CreateAdd(so_far, builder.getInt64(1)));
  // Not in a block of its own: that would change what the other loops' analyses know. A range of
  // none is nothing.
  Value* const ended = builder.CreateSelect(goes_on, none, count.before);
  ranges(builder, first.before, learns ? step->before : known_step, ended,
         Range::Gathered::kBrokenOff);
  loop.for_each_exit([&](BasicBlock* exit) {
    Value* const from = first.at(loop, exit, block);
    Value* const so_many = count.at(loop, exit, block);
    Value* const apart = learns ? step->at(loop, exit, block) : known_step;
    IRBuilder<> below(exit, exit->getFirstInsertionPt());
    ranges(below, from, apart, so_many, Range::Gathered::kInTheEnd);
  });
  for (const auto& [each, offset] : walk.checks) each.erase();
}

}  // namespace

bool gather(const QuietLoop& loop, llvm::ArrayRef<Check> checks) {
  llvm::SmallVector<Walk, 8> walks;
  for (const Check& each : checks) {
    std::optional<Walk> walk = walk_of(loop, each);
    if (!walk) continue;
    const BasicBlock* const block = each.call().getParent();
    auto* const same = llvm::find_if(walks, [&](const Walk& other) {
      const Check& first = other.first();
      return other.formula == walk->formula && other.step == walk->step &&
             loop.dominators().dominates(&first.call(), &each.call()) &&
             loop.as_often(*first.call().getParent(), *block);
    });
    if (same == walks.end()) {
      walks.push_back(std::move(*walk));
    } else {
      same->checks.push_back({each, walk->offset - same->offset});
    }
  }
  for (const Walk& each : walks) gather(loop, each);
  return !walks.empty();
}

}  // namespace redflag::pass
