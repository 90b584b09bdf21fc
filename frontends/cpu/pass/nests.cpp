// Nests: the ranges of inner loops, gathered over the loop around them.
//
// A walk down the columns of a matrix is a range for each column, whose accesses are far apart; each is
// beside the one before. A table that is walked again and again is the same range each time. Such
// ranges (of `loops`, before or behind an inner loop) are gathered in registers: as so many rows, each
// a pitch further than the one before, with the same step and count in each. What was gathered is checked when a range
// does not go on with it, and on every way out of the outer loop; the runtime finds the side of the tile
// along which bytes lie beside each other, and walks along that. The pitch is the distance of the first
// two, whatever it is: 0 where it is the same range again. Ranges under a condition are gathered, too.
//
// Only where it is of use: of ranges with gaps (those without wait in the runtime for their neighbours, which
// costs as little, core/live/runs.cpp), the ones that begin beside each other, or where they did before.
//
// Sound (check.h): the outer loop is quiet (quiet_loop.h), so all its ranges are of one stretch, and each is
// checked in it unless the loop never ends. What is checked are exactly the ranges that came by: it is
// decided as the program runs, so that conditions, and counts that nobody knows before, need no proof.
// Limits: two levels; what is gathered over the outer loop is not gathered further.
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include "frontends/cpu/pass/check.h"
#include "frontends/cpu/pass/passes.h"
#include "frontends/cpu/pass/quiet_loop.h"

namespace redflag::pass {
namespace {

using llvm::BasicBlock;
using llvm::IRBuilder;
using llvm::Value;

class Nest {
 public:
  explicit Nest(const QuietLoop& loop) : loop_(loop) {}

  bool run(llvm::LoopInfo& loops) {
    llvm::SmallVector<Range, 8> ranges;
    for (BasicBlock* block : loop_.loop().blocks()) {
      if (loops.getLoopFor(block) != &loop_.loop()) continue;
      for (llvm::Instruction& each : *block) {
        const std::optional<Range> range = Range::of(each);
        if (range && !range->is_rare() && has_gaps(*range) && may_go_on(*range)) {
          ranges.push_back(*range);
        }
      }
    }
    for (const Range& each : ranges) gather(each);
    if (!variables_.empty()) llvm::PromoteMemToReg(variables_, loop_.dominators());
    return !ranges.empty();
  }

 private:
  static bool has_gaps(const Range& range) {
    const auto* step = llvm::dyn_cast<llvm::ConstantInt>(range.step());
    return step == nullptr || step->getValue().abs().ugt(range.size());
  }

  // Beside the one before, or the same again. Of a gathered walk it is not known where it is; most likely so
  // where its steps are those of a table's rows, which are no constant.
  bool may_go_on(const Range& range) const {
    if (range.is_gathered()) return !llvm::isa<llvm::ConstantInt>(range.step());
    const llvm::SCEV* const start = loop_.evolution().getSCEV(range.start());
    if (loop_.is_invariant(start)) return true;
    const llvm::SCEVAddRecExpr* const walk = loop_.walk(start);
    const auto* pitch =
        walk == nullptr
            ? nullptr
            : llvm::dyn_cast<llvm::SCEVConstant>(walk->getStepRecurrence(loop_.evolution()));
    return pitch != nullptr && pitch->getAPInt().abs().ule(range.size());
  }

  // A variable of the function, which becomes a register in the end. `at_first`: when the loop begins.
  llvm::AllocaInst* variable(llvm::Constant* at_first, const char* name) {
    BasicBlock& entry = loop_.preheader()->getParent()->getEntryBlock();
    IRBuilder<> builder(&entry, entry.begin());
    variables_.push_back(builder.CreateAlloca(at_first->getType(), nullptr, name));
    builder.SetInsertPoint(loop_.preheader()->getTerminator());
    builder.CreateStore(at_first, variables_.back());
    return variables_.back();
  }

  void gather(const Range& range) {
    IRBuilder<> builder(&range.call());
    llvm::Constant* const none = builder.getInt64(0);
    llvm::Constant* const nowhere = llvm::ConstantPointerNull::get(builder.getPtrTy());
    llvm::AllocaInst* const first = variable(nowhere, "redflag.first");
    llvm::AllocaInst* const last = variable(nowhere, "redflag.last");
    llvm::AllocaInst* const pitch = variable(none, "redflag.pitch");
    llvm::AllocaInst* const rows = variable(none, "redflag.rows");
    // What each row must have like the others; nullptr: they cannot but have it.
    const auto varying = [&](Value* value, const char* name) {
      return loop_.loop().isLoopInvariant(value) ? nullptr : variable(none, name);
    };
    llvm::AllocaInst* const step = varying(range.step(), "redflag.step");
    llvm::AllocaInst* const count = varying(range.count(), "redflag.count");
    const auto get = [](IRBuilder<>& at, llvm::AllocaInst* from) {
      return at.CreateLoad(from->getAllocatedType(), from);
    };
    // What was gathered, if `so_many` is not 0.
    const auto check = [&](IRBuilder<>& at, Value* so_many) {
      at.SetCurrentDebugLocation(range.call().getDebugLoc());
      Rows::create(at, range, get(at, first), step == nullptr ? range.step() : get(at, step),
                   count == nullptr ? range.count() : get(at, count), so_many, get(at, pitch));
    };
    Value* const before = get(builder, rows);
    Value* const here = builder.CreatePtrToInt(range.start(), builder.getInt64Ty());
    Value* const there = builder.CreatePtrToInt(get(builder, last), builder.getInt64Ty());
    Value* const apart = builder.CreateSub(here, there);
    Value* const even = builder.CreateICmpEQ(apart, get(builder, pitch));
    Value* const second = builder.CreateICmpEQ(before, builder.getInt64(1));
    Value* goes_on = builder.CreateOr(even, second);
    if (step != nullptr) {
      goes_on = builder.CreateAnd(goes_on, builder.CreateICmpEQ(range.step(), get(builder, step)));
    }
    if (count != nullptr) {
      goes_on =
          builder.CreateAnd(goes_on, builder.CreateICmpEQ(range.count(), get(builder, count)));
    }
    check(builder, builder.CreateSelect(goes_on, none, before));
    builder.CreateStore(builder.CreateSelect(goes_on, get(builder, first), range.start()), first);
    builder.CreateStore(range.start(), last);
    builder.CreateStore(apart, pitch);  // of the first row it means nothing
    builder.CreateStore(
        builder.CreateAdd(builder.CreateSelect(goes_on, before, none), builder.getInt64(1)), rows);
    if (step != nullptr) builder.CreateStore(range.step(), step);
    if (count != nullptr) builder.CreateStore(range.count(), count);
    loop_.for_each_exit([&](BasicBlock* exit) {
      IRBuilder<> below(exit, exit->getFirstInsertionPt());
      check(below, get(below, rows));
    });
    range.erase();
  }

  const QuietLoop& loop_;
  llvm::SmallVector<llvm::AllocaInst*, 16> variables_;
};

}  // namespace

llvm::PreservedAnalyses Nests::run(llvm::Function& function,
                                   llvm::FunctionAnalysisManager& analyses) {
  auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
  auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  auto& dominators = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
  const auto& library = analyses.getResult<llvm::TargetLibraryAnalysis>(function);
  bool changed = false;
  for (llvm::Loop* each : loops.getLoopsInPreorder()) {
    if (each->isInnermost()) continue;
    const std::optional<QuietLoop> quiet = QuietLoop::of(*each, evolution, dominators, library);
    if (quiet) changed |= Nest(*quiet).run(loops);
  }
  if (!changed) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

}  // namespace redflag::pass
