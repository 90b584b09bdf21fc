// Loops: the accesses of a loop as one range.
//
// In a loop without synchronisation an access that every iteration makes, at addresses that are a
// fixed step apart, is one range of so many steps. Where it is known before the loop how often it
// runs, the range is checked before it; where it is not (a search that breaks off, a loop with
// several ways out), the iterations are counted and the range is checked on each way out. An access
// that stays at one address is checked once, before the loop where the first iteration is sure to
// make it. An access whose base the loop loads again and again, since LLVM could not tell that it stays
// the same, is gathered while it goes on where it was (gathered.h). Accesses of an unrolled loop that follow each other at equal distances are one walk again.
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

#include <tuple>

#include "frontends/cpu/pass/check.h"
#include "frontends/cpu/pass/gathered.h"
#include "frontends/cpu/pass/passes.h"
#include "frontends/cpu/pass/quiet_loop.h"
#include "frontends/cpu/pass/span.h"

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
  explicit LoopRanges(const QuietLoop& quiet)
      : quiet_(quiet), loop_(quiet.loop()), evolution_(quiet.evolution()) {}

  bool run() {
    const SCEV* taken = evolution_.getBackedgeTakenCount(&loop_);
    const bool known = !llvm::isa<llvm::SCEVCouldNotCompute>(taken);
    if (quiet_.exiting().size() == 1 && known) taken_ = taken;
    llvm::SmallVector<Check, 16> checks;
    for (BasicBlock* block : loop_.blocks()) {
      if (!quiet_.dominates(block, quiet_.latch())) continue;
      for (Instruction& each : *block) {
        const std::optional<Check> check = Check::of(each);
        if (check && check->is_plain()) checks.push_back(*check);
      }
    }
    bool changed = false;
    llvm::SmallVector<Walk, 16> walks;
    llvm::SmallVector<Check, 16> others;
    for (const Check& each : checks) {
      if (quiet_.is_invariant(evolution_.getSCEV(each.address()))) {
        changed |= move_fixed(each);
      } else if (std::optional<Walk> walk = walk_of(each)) {
        walk->place = walks.size();
        walks.push_back(std::move(*walk));
      } else {
        others.push_back(each);
      }
    }
    join(walks);
    for (const Walk& each : walks) changed |= move(each);
    return gather(quiet_, others) || changed;
  }

 private:
  // One access of every iteration, or several that follow each other.
  struct Walk {
    llvm::SmallVector<Check, 4> checks;  // the first is where it starts
    const SCEV* formula = nullptr;       // of the first, without its constant
    std::int64_t offset = 0;             // that constant
    const SCEV* start = nullptr;
    const SCEV* step = nullptr;
    std::int64_t constant_step = 0;  // 0: it is known at run time only
    std::uint64_t each_time = 1;     // steps in an iteration
    std::size_t place = 0;           // among the loop's walks

    const Check& first() const { return checks.front(); }
    void erase() const {
      for (const Check& each : checks) each.erase();
    }
  };

  std::optional<Walk> walk_of(const Check& check) {
    const auto* walk = quiet_.walk(evolution_.getSCEV(check.address()));
    if (walk == nullptr) return std::nullopt;
    const SCEV* const step = walk->getStepRecurrence(evolution_);
    if (!quiet_.can_expand(step) || !quiet_.can_expand(walk->getStart())) return std::nullopt;
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
           quiet_.as_often(*x.call().getParent(), *y.call().getParent()) &&
           same_line(x.call(), y.call());
  }
  void join(llvm::SmallVectorImpl<Walk>& walks) {
    llvm::sort(walks, [](const Walk& a, const Walk& b) {
      return std::tie(a.formula, a.offset, a.place) < std::tie(b.formula, b.offset, b.place);
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
    if (taken_ == nullptr || !quiet_.can_expand(taken_)) return move_behind(walk);
    IRBuilder<> builder(quiet_.preheader()->getTerminator());
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
    if (quiet_.dominates(check.call().getParent(), quiet_.exiting().front())) {
      count = evolution_.getAddExpr(count, evolution_.getOne(count->getType()));
    }
    return expand(count);
  }

  // One address: once, if the first iteration is sure to come by; otherwise it stays.
  bool move_fixed(const Check& check) {
    const SCEV* const address = evolution_.getSCEV(check.address());
    BasicBlock* const block = check.call().getParent();
    for (BasicBlock* each : quiet_.exiting()) {
      if (!quiet_.dominates(block, each)) return false;
    }
    if (!quiet_.can_expand(address)) return false;
    IRBuilder<> builder(quiet_.preheader()->getTerminator());
    builder.SetCurrentDebugLocation(check.call().getDebugLoc());
    Value* const where = loop_.isLoopInvariant(check.address()) ? check.address() : expand(address);
    Check::create(builder, where, check.align(), check.size(), check.kind());
    check.erase();
    return true;
  }

  // The range on every way out.
  bool move_behind(const Walk& walk) {
    BasicBlock* const block = walk.first().call().getParent();
    if (!quiet_.is_sure_at_exits(block)) return false;
    Value* const from = expand(walk.start);
    llvm::PHINode* const iteration = counter();
    quiet_.for_each_exit([&](BasicBlock* exit) {
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
        } else if (quiet_.dominates(block, before)) {
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

  // 0 in the first iteration, 1 in the second.
  llvm::PHINode* counter() {
    if (counter_ != nullptr) return counter_;
    BasicBlock* const header = loop_.getHeader();
    IRBuilder<> builder(header, header->begin());
    counter_ = builder.CreatePHI(builder.getInt64Ty(), 2, "redflag.iteration");
    IRBuilder<> at_end(quiet_.latch()->getTerminator());
    Value* const next = at_end.CreateAdd(counter_, at_end.getInt64(1), "redflag.next");
    for (BasicBlock* before : llvm::predecessors(header)) {
      counter_->addIncoming(before == quiet_.latch() ? next : builder.getInt64(0), before);
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
  Value* expand(const SCEV* value) const { return quiet_.expand(value); }

  const QuietLoop& quiet_;
  Loop& loop_;
  llvm::ScalarEvolution& evolution_;
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
    const std::optional<QuietLoop> quiet = QuietLoop::of(*each, evolution, dominators, library);
    if (quiet) changed |= LoopRanges(*quiet).run();
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

}  // namespace redflag::pass
