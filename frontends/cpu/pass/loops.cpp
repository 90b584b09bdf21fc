// Loops: the accesses of a loop as one range.
//
// In a loop without synchronisation an access that every iteration makes, at addresses that are a
// fixed step apart, is one range of so many steps. Where it is known before the loop how often it
// runs, the range is checked before it; where it is not (a search that breaks off, a loop with
// several ways out), the iterations are counted and the range is checked on each way out. An access
// that stays at one address is checked once, before the loop where the first iteration is sure to
// make it. An access whose base the loop loads again and again, since LLVM could not tell that it stays
// the same, is gathered while it goes on where it was. Accesses of an unrolled loop that follow each other at equal distances are one walk again.
// Loops are taken from the inside out, so that what moved out of one may move on.
//
// Sound (check.h): within the loop nothing synchronises, nothing throws or ends the program, and the
// ranges are exactly the addresses that are accessed. A range before the loop relies on the loop to
// come to its end: its count of iterations is finite, and it has one exit. One behind it misses an
// access only if the loop never ends.
// Limits: loops in simplified form with one latch; steps that are constants.
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

#include "frontends/cpu/pass/check.h"
#include "frontends/cpu/pass/passes.h"
#include "frontends/cpu/pass/span.h"
#include "frontends/cpu/pass/sync.h"

namespace redflag::pass {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::IRBuilder;
using llvm::Loop;
using llvm::SCEV;
using llvm::Value;

class LoopRanges {
 public:
  LoopRanges(Loop& loop, llvm::ScalarEvolution& evolution, llvm::DominatorTree& dominators,
             const llvm::TargetLibraryInfo& library)
      : loop_(loop), evolution_(evolution), dominators_(dominators), library_(library) {}

  bool run() {
    preheader_ = loop_.getLoopPreheader();
    latch_ = loop_.getLoopLatch();
    if (preheader_ == nullptr || latch_ == nullptr || !loop_.hasDedicatedExits() || !is_quiet()) {
      return false;
    }
    loop_.getExitingBlocks(exiting_);
    if (exiting_.empty()) return false;
    const SCEV* taken = evolution_.getBackedgeTakenCount(&loop_);
    if (exiting_.size() == 1 && !llvm::isa<llvm::SCEVCouldNotCompute>(taken)) taken_ = taken;
    llvm::SmallVector<Check, 16> checks;
    for (BasicBlock* block : loop_.blocks()) {
      if (!dominators_.dominates(block, latch_)) continue;
      for (Instruction& each : *block) {
        const std::optional<Check> check = Check::of(each);
        if (check && check->is_plain()) checks.push_back(*check);
      }
    }
    bool changed = false;
    llvm::SmallVector<Walk, 16> walks;
    llvm::SmallVector<std::pair<Check, const SCEV*>, 16> likely;
    for (const Check& each : checks) {
      if (evolution_.isLoopInvariant(evolution_.getSCEV(each.address()), &loop_)) {
        changed |= move_fixed(each);
      } else if (std::optional<Walk> walk = walk_of(each)) {
        walks.push_back(std::move(*walk));
      } else if (const SCEV* step = likely_step(each); step != nullptr) {
        likely.push_back({each, step});
      }
    }
    join(walks);
    for (const Walk& each : walks) changed |= move(each);
    for (const auto& [check, step] : likely) changed |= gather(check, step);
    return changed;
  }

 private:
  // Nothing in it ends a stretch, or may not come back.
  bool is_quiet() const {
    for (BasicBlock* block : loop_.blocks()) {
      for (const Instruction& each : *block) {
        if (may_synchronise(each, library_) || !always_continues(each, library_)) return false;
      }
    }
    return true;
  }

  // One access of every iteration, or several that follow each other.
  struct Walk {
    llvm::SmallVector<Check, 4> checks;  // the first is where it starts
    const SCEV* formula = nullptr;       // of the first, without its constant
    std::int64_t offset = 0;             // that constant
    const SCEV* start = nullptr;
    const SCEV* step = nullptr;
    std::int64_t constant_step = 0;  // 0: it is known at run time only
    std::uint64_t each_time = 1;     // steps in an iteration

    const Check& first() const { return checks.front(); }
    void erase() const {
      for (const Check& each : checks) each.erase();
    }
  };

  std::optional<Walk> walk_of(const Check& check) {
    const auto* walk = llvm::dyn_cast<llvm::SCEVAddRecExpr>(evolution_.getSCEV(check.address()));
    if (walk == nullptr || walk->getLoop() != &loop_ || !walk->isAffine()) return std::nullopt;
    const SCEV* const step = walk->getStepRecurrence(evolution_);
    if (!can_expand(step) || !can_expand(walk->getStart())) return std::nullopt;
    const auto [formula, offset] = without_constant(walk, evolution_);
    return Walk{{check}, formula, offset, walk->getStart(), step, constant_of(step), 1};
  }

  static std::int64_t constant_of(const SCEV* value) {
    const auto* constant = llvm::dyn_cast<llvm::SCEVConstant>(value);
    return constant == nullptr ? 0 : constant->getAPInt().getSExtValue();
  }

  // Walks of an unrolled loop: alike, as often, and at equal distances that fill the step.
  bool joins(const Walk& a, const Walk& b) const {
    const Check& x = a.first();
    const Check& y = b.first();
    return a.formula == b.formula && x.kind() == y.kind() && x.size() == y.size() &&
           as_often(*x.call().getParent(), *y.call().getParent()) && same_line(x.call(), y.call());
  }
  // Both are done in every iteration but the last: there it is up to where the loop is left.
  bool as_often(const BasicBlock& a, const BasicBlock& b) const {
    return &a == &b || llvm::all_of(exiting_, [&](const BasicBlock* leaving) {
             return dominators_.dominates(&a, leaving) == dominators_.dominates(&b, leaving);
           });
  }
  void join(llvm::SmallVectorImpl<Walk>& walks) {
    llvm::stable_sort(walks, [](const Walk& a, const Walk& b) {
      return a.formula != b.formula ? a.formula < b.formula : a.offset < b.offset;
    });
    llvm::SmallVector<Walk, 16> joined;
    for (std::size_t i = 0; i < walks.size();) {
      std::size_t end = i + 1;
      while (end < walks.size() && joins(walks[i], walks[end])) ++end;
      const std::int64_t n = static_cast<std::int64_t>(end - i);
      const std::int64_t step = walks[i].constant_step;
      const std::int64_t apart = std::abs(step) / n;
      bool even = n > 1 && apart != 0 && apart * n == std::abs(step);
      for (std::size_t k = i + 1; k < end && even; ++k) {
        even = walks[k].offset - walks[k - 1].offset == apart;
      }
      if (even) {
        // Backwards it starts with the last.
        Walk whole = step > 0 ? walks[i] : walks[end - 1];
        whole.checks.clear();
        for (std::size_t k = i; k < end; ++k) whole.checks.push_back(walks[k].first());
        whole.constant_step /= n;
        whole.each_time = static_cast<std::uint64_t>(n);
        joined.push_back(whole);
      } else {
        joined.append(walks.begin() + i, walks.begin() + end);
      }
      i = end;
    }
    walks = joined;
  }

  bool move(const Walk& walk) {
    if (taken_ == nullptr || !can_expand(taken_)) return move_behind(walk);
    IRBuilder<> builder(preheader_->getTerminator());
    builder.SetCurrentDebugLocation(walk.first().call().getDebugLoc());
    emit(builder, walk, expand(walk.start), count_before(walk.first()));
    walk.erase();
    return true;
  }

  // How often the check is done, where that is known before the loop.
  Value* count_before(const Check& check) {
    const SCEV* count =
        evolution_.getTruncateOrZeroExtend(taken_, llvm::Type::getInt64Ty(context()));
    // The last iteration leaves from the exiting block: it comes by here if this is before it.
    if (dominators_.dominates(check.call().getParent(), exiting_.front())) {
      count = evolution_.getAddExpr(count, evolution_.getOne(count->getType()));
    }
    return expand(count);
  }

  // One address: once, if the first iteration is sure to come by; otherwise it stays.
  bool move_fixed(const Check& check) {
    const SCEV* const address = evolution_.getSCEV(check.address());
    BasicBlock* const block = check.call().getParent();
    for (BasicBlock* each : exiting_) {
      if (!dominators_.dominates(block, each)) return false;
    }
    if (!can_expand(address)) return false;
    IRBuilder<> builder(preheader_->getTerminator());
    builder.SetCurrentDebugLocation(check.call().getDebugLoc());
    Value* const where = loop_.isLoopInvariant(check.address()) ? check.address() : expand(address);
    Check::create(builder, where, check.align(), check.size(), check.kind());
    check.erase();
    return true;
  }

  // The range on every way out.
  bool move_behind(const Walk& walk) {
    BasicBlock* const block = walk.first().call().getParent();
    for (BasicBlock* leaving : exiting_) {
      const bool done = dominators_.dominates(block, leaving);
      if (!done && !dominators_.dominates(leaving, block)) return false;
    }
    Value* const from = expand(walk.start);
    llvm::PHINode* const iteration = counter();
    for_each_exit([&](BasicBlock* exit) {
      // As many as were begun, and one less from where the exit comes before the check.
      IRBuilder<> builder(exit, exit->getFirstInsertionPt());
      IRBuilder<> at_top(exit, exit->begin());
      llvm::PHINode* const count = at_top.CreatePHI(builder.getInt64Ty(), 2, "redflag.count");
      for (BasicBlock* before : llvm::predecessors(exit)) {
        const int seen = count->getBasicBlockIndex(before);  // a switch may come by several cases
        IRBuilder<> there(before->getTerminator());
        Value* number = iteration;
        if (seen >= 0) {
          number = count->getIncomingValue(static_cast<unsigned>(seen));
        } else if (dominators_.dominates(block, before)) {
          number = there.CreateAdd(iteration, there.getInt64(1), "redflag.done");
        }
        count->addIncoming(number, before);
      }
      builder.SetCurrentDebugLocation(walk.first().call().getDebugLoc());
      emit(builder, walk, from, count);
    });
    walk.erase();
    return true;
  }

  // The step of an address whose base is loaded anew in every iteration, and is mostly the same.
  const SCEV* likely_step(const Check& check) {
    const auto* sum = llvm::dyn_cast<llvm::SCEVAddExpr>(evolution_.getSCEV(check.address()));
    // What a loop inside of this one does is more than one access in each iteration.
    const BasicBlock* const block = check.call().getParent();
    const bool inside = llvm::any_of(loop_.getSubLoops(),
                                     [&](const Loop* inner) { return inner->contains(block); });
    if (sum == nullptr || inside) return nullptr;
    const SCEV* step = nullptr;
    for (const SCEV* part : sum->operands()) {
      const auto* walk = llvm::dyn_cast<llvm::SCEVAddRecExpr>(part);
      if (walk == nullptr || walk->getLoop() != &loop_ || !walk->isAffine()) continue;
      if (step != nullptr) return nullptr;
      step = walk->getStepRecurrence(evolution_);
    }
    return step != nullptr && can_expand(step) ? step : nullptr;
  }

  // A walk that is not sure: what went on so far, `count` accesses from `first` on, is checked when one
  // does not go on with it, and on every way out.
  bool gather(const Check& check, const SCEV* step) {
    BasicBlock* const block = check.call().getParent();
    for (BasicBlock* leaving : exiting_) {
      if (!dominators_.dominates(block, leaving) && !dominators_.dominates(leaving, block)) {
        return false;
      }
    }
    Value* const apart = expand(step);
    IRBuilder<> builder(loop_.getHeader(), loop_.getHeader()->begin());
    llvm::PHINode* const first = builder.CreatePHI(builder.getPtrTy(), 2, "redflag.first");
    llvm::PHINode* const next = builder.CreatePHI(builder.getPtrTy(), 2, "redflag.next");
    llvm::PHINode* const count = builder.CreatePHI(builder.getInt64Ty(), 2, "redflag.gathered");
    builder.SetInsertPoint(&check.call());
    Value* const none = builder.getInt64(0);
    Value* const goes_on = builder.CreateICmpEQ(check.address(), next);
    Value* const new_first = builder.CreateSelect(goes_on, first, check.address());
    Value* const new_next = builder.CreateGEP(builder.getInt8Ty(), check.address(), apart);
    Value* const new_count =
        builder.CreateAdd(builder.CreateSelect(goes_on, count, none), builder.getInt64(1));
    // Not in a block of its own: that would change what the other loops' analyses know. A range of
    // none is nothing.
    Range::create(builder, first, apart, builder.CreateSelect(goes_on, none, count), check.size(),
                  check.kind());
    Value* const nowhere = llvm::ConstantPointerNull::get(builder.getPtrTy());
    for (BasicBlock* before : llvm::predecessors(loop_.getHeader())) {
      const bool again = before == latch_;
      first->addIncoming(again ? new_first : nowhere, before);
      next->addIncoming(again ? new_next : nowhere, before);
      count->addIncoming(again ? new_count : none, before);
    }
    for_each_exit([&](BasicBlock* exit) {
      IRBuilder<> at_top(exit, exit->begin());
      llvm::PHINode* const from = at_top.CreatePHI(builder.getPtrTy(), 2);
      llvm::PHINode* const so_many = at_top.CreatePHI(builder.getInt64Ty(), 2);
      for (BasicBlock* before : llvm::predecessors(exit)) {
        const bool done = dominators_.dominates(block, before);
        from->addIncoming(done ? new_first : first, before);
        so_many->addIncoming(done ? new_count : count, before);
      }
      IRBuilder<> below(exit, exit->getFirstInsertionPt());
      below.SetCurrentDebugLocation(check.call().getDebugLoc());
      Range::create(below, from, apart, so_many, check.size(), check.kind());
    });
    check.erase();
    return true;
  }

  template <typename Act>
  void for_each_exit(Act act) {
    llvm::SmallPtrSet<BasicBlock*, 4> seen;
    llvm::SmallVector<BasicBlock*, 4> exits;
    loop_.getExitBlocks(exits);
    for (BasicBlock* exit : exits) {
      if (seen.insert(exit).second) act(exit);
    }
  }

  // 0 in the first iteration, 1 in the second.
  llvm::PHINode* counter() {
    if (counter_ != nullptr) return counter_;
    BasicBlock* const header = loop_.getHeader();
    IRBuilder<> builder(header, header->begin());
    counter_ = builder.CreatePHI(builder.getInt64Ty(), 2, "redflag.iteration");
    IRBuilder<> at_end(latch_->getTerminator());
    Value* const next = at_end.CreateAdd(counter_, at_end.getInt64(1), "redflag.next");
    for (BasicBlock* before : llvm::predecessors(header)) {
      counter_->addIncoming(before == latch_ ? next : builder.getInt64(0), before);
    }
    return counter_;
  }

  void emit(IRBuilder<>& builder, const Walk& walk, Value* start, Value* count) {
    if (walk.each_time != 1) count = builder.CreateMul(count, builder.getInt64(walk.each_time));
    Value* const step = walk.constant_step != 0
                            ? builder.getInt64(static_cast<std::uint64_t>(walk.constant_step))
                            : expand(walk.step);
    Range::create(builder, start, step, count, walk.first().size(), walk.first().kind());
  }

  llvm::LLVMContext& context() { return loop_.getHeader()->getContext(); }
  bool can_expand(const SCEV* value) {
    llvm::SCEVExpander expander(evolution_, layout(), "redflag");
    return expander.isSafeToExpandAt(value, preheader_->getTerminator());
  }
  Value* expand(const SCEV* value) {
    llvm::SCEVExpander expander(evolution_, layout(), "redflag");
    return expander.expandCodeFor(value, value->getType(), preheader_->getTerminator());
  }
  const llvm::DataLayout& layout() { return loop_.getHeader()->getDataLayout(); }

  Loop& loop_;
  llvm::ScalarEvolution& evolution_;
  llvm::DominatorTree& dominators_;
  const llvm::TargetLibraryInfo& library_;
  BasicBlock* preheader_ = nullptr;
  BasicBlock* latch_ = nullptr;
  llvm::SmallVector<BasicBlock*, 4> exiting_;
  const SCEV* taken_ = nullptr;  // how often the latch goes back; nullptr: not known before
  llvm::PHINode* counter_ = nullptr;
};

}  // namespace

llvm::PreservedAnalyses Loops::run(llvm::Function& function,
                                   llvm::FunctionAnalysisManager& analyses) {
  auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
  if (loops.empty()) return llvm::PreservedAnalyses::all();
  auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  auto& dominators = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
  const auto& library = analyses.getResult<llvm::TargetLibraryAnalysis>(function);
  bool changed = false;
  for (Loop* each : loops) {
    changed |= llvm::simplifyLoop(each, &dominators, &loops, &evolution, nullptr, nullptr, false);
  }
  const auto outside_in = loops.getLoopsInPreorder();
  for (Loop* each : llvm::reverse(outside_in)) {
    changed |= LoopRanges(*each, evolution, dominators, library).run();
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

}  // namespace redflag::pass
