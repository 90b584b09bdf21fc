#include "frontends/cpu/pass/gathered.h"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>

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

struct Likely {
  bool is = false;
  const SCEV* step = nullptr;  // nullptr: it is seen when the second access is made
};

Likely likely_walk(const QuietLoop& loop, const Check& check) {
  const auto* sum = llvm::dyn_cast<llvm::SCEVAddExpr>(loop.evolution().getSCEV(check.address()));
  // What a loop inside of this one does is more than one access in each iteration.
  const BasicBlock* const block = check.call().getParent();
  const bool inside = llvm::any_of(loop.loop().getSubLoops(),
                                   [&](const llvm::Loop* inner) { return inner->contains(block); });
  if (sum == nullptr || inside) return {};
  const SCEV* step = nullptr;
  bool evenly = false;  // some part does, and all others stay where they are
  bool others_stay = true;
  for (const SCEV* part : sum->operands()) {
    if (const auto* walk = loop.walk(part); walk != nullptr) {
      if (step != nullptr) return {};
      step = walk->getStepRecurrence(loop.evolution());
    } else if (moves_evenly(loop, part)) {
      evenly = true;
    } else {
      others_stay = others_stay && (loop.is_invariant(part) || is_reloaded(loop, part));
    }
  }
  if (evenly) return {others_stay, nullptr};
  return {step != nullptr && loop.can_expand(step), step};
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

}  // namespace

bool gather(const QuietLoop& loop, const Check& check) {
  const Likely likely = likely_walk(loop, check);
  BasicBlock* const block = check.call().getParent();
  if (!likely.is || !loop.is_sure_at_exits(block)) return false;
  const bool learns = likely.step == nullptr;
  Value* const known_step = learns ? nullptr : loop.expand(likely.step);
  IRBuilder<> builder(&check.call());
  llvm::Constant* const none = builder.getInt64(0);
  llvm::Constant* const nowhere = llvm::ConstantPointerNull::get(builder.getPtrTy());
  // Where it goes on; of a walk that learns its step, where it was.
  Kept first(loop, nowhere, "redflag.first");
  Kept next(loop, nowhere, learns ? "redflag.last" : "redflag.next");
  Kept count(loop, none, "redflag.gathered");
  std::optional<Kept> step;
  if (learns) step.emplace(loop, none, "redflag.step");
  Value* goes_on = nullptr;
  Value* new_next = nullptr;
  if (learns) {
    Value* const here = builder.CreatePtrToInt(check.address(), builder.getInt64Ty());
    Value* const there = builder.CreatePtrToInt(next.before, builder.getInt64Ty());
    Value* const apart = builder.CreateSub(here, there, "redflag.apart");
    Value* const even = builder.CreateICmpEQ(apart, step->before);
    Value* const second = builder.CreateICmpEQ(count.before, builder.getInt64(1));
    goes_on = builder.CreateOr(even, second);
    step->set(loop, apart);
    new_next = check.address();
  } else {
    goes_on = builder.CreateICmpEQ(check.address(), next.before);
  }
  first.set(loop, builder.CreateSelect(goes_on, first.before, check.address()));
  if (!learns) new_next = builder.CreateGEP(builder.getInt8Ty(), check.address(), known_step);
  next.set(loop, new_next);
  count.set(loop, builder.CreateAdd(builder.CreateSelect(goes_on, count.before, none),
                                    builder.getInt64(1)));
  // Not in a block of its own: that would change what the other loops' analyses know. A range of
  // none is nothing.
  Range::create(builder, first.before, learns ? step->before : known_step,
                builder.CreateSelect(goes_on, none, count.before), check.size(), check.kind())
      .set_rare();
  loop.for_each_exit([&](BasicBlock* exit) {
    Value* const from = first.at(loop, exit, block);
    Value* const so_many = count.at(loop, exit, block);
    Value* const apart = learns ? step->at(loop, exit, block) : known_step;
    IRBuilder<> below(exit, exit->getFirstInsertionPt());
    below.SetCurrentDebugLocation(check.call().getDebugLoc());
    Range::create(below, from, apart, so_many, check.size(), check.kind());
  });
  check.erase();
  return true;
}

}  // namespace redflag::pass
