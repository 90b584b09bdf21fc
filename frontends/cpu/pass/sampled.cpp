// Sampled: code that checks and code that does not, side by side, for `redflag run --sample` and --budget.
//
// Hierarchical sampling (Park et al., UPC-Thrille, section 4.2): regions are functions and the bodies of loops, the
// smallest region is one check. A function with checks becomes three copies of its body: C, which
// checks; U, which does not, for the iterations of its loops that are not sampled; and N for calls
// that are not sampled at all, which has no tests and, where nothing is called, no frame either. The
// way in chooses between C and N; the way into a loop, and on to its next iteration, between C and U.
// U's innermost loops and those around them do not ask, unless they call something: what is left of
// such a loop, once it has backed off, runs as it is.
// What an iteration does now and then and calls something (mostly a function that was inlined) is a
// region too: the way into it chooses again, so that its first execution is checked however far the loop
// has backed off; and an iteration that came by there asks for the next one.
// Behind a loop the code goes on in the copy that was chosen for what is around the loop.
// In C each check is a region of its own, with its own test.
// Loops back off within what is around them: an iteration or a call that is sampled starts those directly in it
// again. Else the chances would be multiplied, and what is deep in a nest would be checked in its first
// execution only; so it is a handful of each loop in a handful of those around it.
//
// A region's test is a count-down in thread-local memory (abi.h); only when it ends does the runtime
// decide, and says how long the next one is. What was not asked costs a load, a comparison and a store.
//
// Sound: every check that is left is one of an access that the thread makes in the same stretch
// (check.h), whichever copy made it; synchronisation, atomics and calls are in all copies.
// Limits: functions with computed gotos, asm goto, tokens, setjmp, assembly that defines a name or
// calls that are not to be duplicated are not copied, and always check.
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include <algorithm>

#include "frontends/cpu/abi/abi.h"
#include "frontends/cpu/pass/choices.h"
#include "frontends/cpu/pass/copies.h"
#include "frontends/cpu/pass/frames.h"
#include "frontends/cpu/pass/passes.h"

namespace redflag::pass {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::IRBuilder;
using llvm::Value;

class Sampler {
 public:
  Sampler(llvm::Function& function, const llvm::LoopInfo& loops,
          const llvm::DominatorTree& dominators, const llvm::TargetLibraryInfo& library)
      : function_(function),
        context_(function.getContext()),
        library_(library),
        choices_(function) {
    for (const llvm::Loop* each : loops.getLoopsInPreorder()) note(*each, dominators);
  }

  bool run() {
    llvm::SmallVector<Instruction*, 64> checks;
    for (Instruction& each : llvm::instructions(function_)) {
      if (only_checks(each)) checks.push_back(&each);
    }
    if (checks.empty() || !can_be_copied(function_)) return false;
    define_results(function_);
    BasicBlock* const entry = &function_.getEntryBlock();
    BasicBlock* const start = split_entry(*entry);
    llvm::SmallVector<BasicBlock*, 32> body;
    part_from_invokes();
    llvm::SmallVector<llvm::AllocaInst*, 64> stack = put_on_stack(*entry);
    for (BasicBlock& block : function_) {
      if (&block != entry) body.push_back(&block);
    }
    Copy never(body, ".unsampled");
    never.uncheck();
    drop_frame(never);
    if (!regions_.empty()) {
      Copy unchecked(body, ".unchecked");
      unchecked.uncheck();
      const auto flag = [&] {
        stack.push_back(new llvm::AllocaInst(llvm::Type::getInt1Ty(context_), 0, "redflag.sampled",
                                             entry->begin()));
        return stack.back();
      };
      for (Region& each : regions_) {
        each.sampled = flag();
        if (!each.sometimes.empty() && !each.is_long) each.called = flag();
      }
      sampled_ = flag();
      new llvm::StoreInst(llvm::ConstantInt::getTrue(context_), sampled_,
                          entry->getTerminator()->getIterator());
      for (BasicBlock* block : body) come_back(*block, unchecked);
      for (Region& each : regions_) choose_at(each, unchecked);
      for (Region& each : regions_) choose_sometimes(each, unchecked, *entry);
      for (std::size_t i = 0; i < regions_.size(); ++i) start_loops_again(regions_[i].chosen, i);
    }
    // The way in.
    Instruction* const jump = entry->getTerminator();
    BasicBlock* const begin = BasicBlock::Create(context_, "redflag.begin", &function_, start);
    start_loops_again(llvm::BranchInst::Create(start, begin), kNone);
    BasicBlock* const choice = choices_.test(abi::kSampleFunction, nullptr, begin, never.of(start));
    jump->setSuccessor(0, choice);
    for (BasicBlock* block : body) note_time(*block);
    for (Instruction* each : checks) guard(*each);
    choices_.lay_out_slots();
    llvm::DominatorTree dominators(function_);
    llvm::SmallVector<llvm::AllocaInst*, 64> back;
    for (llvm::AllocaInst* each : stack) {
      if (llvm::isAllocaPromotable(each)) back.push_back(each);
    }
    llvm::PromoteMemToReg(back, dominators);
    return true;
  }

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};

  // A loop whose iterations are sampled.
  struct Region {
    BasicBlock* header;
    llvm::SmallVector<BasicBlock*, 2> latches;
    bool is_long;                                 // an iteration is: a test is nothing to it
    llvm::SmallVector<BasicBlock*, 2> sometimes;  // not in every iteration: they call something
    std::size_t around = kNone;                   // the region that it is in
    unsigned slot = 0;
    llvm::AllocaInst* sampled = nullptr;  // is its present iteration?
    llvm::AllocaInst* called = nullptr;   // did its present iteration come by one of `sometimes`?
    llvm::SmallVector<Instruction*, 2> chosen = {};  // at the ends of the ways to sampled ones
  };

  // Of loops within loops below it.
  static unsigned height(const llvm::Loop& loop) {
    unsigned most = 0;
    for (const llvm::Loop* each : loop) most = std::max(most, 1 + height(*each));
    return most;
  }

  static bool is_directly_in(const llvm::Loop& loop, const BasicBlock& block) {
    return llvm::none_of(loop, [&](const llvm::Loop* each) { return each->contains(&block); });
  }

  void note(const llvm::Loop& loop, const llvm::DominatorTree& dominators) {
    bool checks = false;
    bool calls = false;  // in every iteration: a lock that is rarely taken makes no iteration long
    llvm::SmallVector<BasicBlock*, 4> latches;
    llvm::SmallVector<BasicBlock*, 8> sometimes;
    loop.getLoopLatches(latches);
    for (BasicBlock* block : loop.blocks()) {
      const bool each_time = llvm::all_of(
          latches, [&](const BasicBlock* latch) { return dominators.dominates(block, latch); });
      bool calls_here = false;
      for (const Instruction& each : *block) {
        checks |= only_checks(each);
        calls_here |= calls_something(each, library_);
      }
      calls |= each_time && calls_here;
      if (calls_here && !each_time && !block->isEHPad()) sometimes.push_back(block);
    }
    // What left a loop as a range stands before it or behind it, and belongs to the one around it.
    // Where a loop begins with a landing pad there is no place for a test.
    if (!checks || loop.getHeader()->isEHPad()) return;
    Region region{loop.getHeader(), {}, calls || height(loop) >= 2, {}};
    loop.getLoopLatches(region.latches);
    // The first of those that follow each other; those in inner loops are theirs.
    for (BasicBlock* block : sometimes) {
      const bool is_first = llvm::none_of(sometimes, [&](const BasicBlock* other) {
        return other != block && dominators.dominates(other, block);
      });
      if (is_first && is_directly_in(loop, *block)) region.sometimes.push_back(block);
    }
    if (const auto around = innermost_.find(region.header); around != innermost_.end()) {
      region.around = around->second;
    }
    for (const BasicBlock* block : loop.blocks()) innermost_[block] = regions_.size();
    regions_.push_back(std::move(region));
  }

  // What an invoke returns is stored where it goes on: that must be a place of its own, not one that
  // the copies may change at.
  void part_from_invokes() {
    llvm::SmallVector<llvm::InvokeInst*, 16> invokes;
    for (BasicBlock& block : function_) {
      if (auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(block.getTerminator())) {
        invokes.push_back(invoke);
      }
    }
    for (llvm::InvokeInst* each : invokes) {
      BasicBlock* const from = each->getParent();
      BasicBlock* const to = each->getNormalDest();
      BasicBlock* const between = BasicBlock::Create(context_, "redflag.returned", &function_, to);
      llvm::BranchInst::Create(to, between);
      each->setNormalDest(between);
      to->replacePhiUsesWith(from, between);
      if (const auto region = innermost_.find(from); region != innermost_.end()) {
        const std::size_t number = region->second;
        innermost_[between] = number;
      }
      for (Region& region : regions_) {
        if (region.header == to)
          std::replace(region.latches.begin(), region.latches.end(), from, between);
      }
    }
  }

  // In a copy that calls nothing nobody looks at the frame.
  void drop_frame(const Copy& copy) {
    for (const BasicBlock* block : copy.blocks()) {
      for (const Instruction& each : *block) {
        if (calls_something(each, library_)) return;
      }
    }
    for (BasicBlock* block : copy.blocks()) {
      for (Instruction& each : llvm::make_early_inc_range(*block)) {
        if (is_of_frame(each)) each.eraseFromParent();
      }
    }
  }

  // Before `at`, those directly in this region; kNone: the outermost.
  void start_loops_again(Instruction* at, std::size_t around) {
    IRBuilder<> builder(at);
    for (const Region& each : regions_) {
      if (each.around == around) choices_.start_again(builder, each.slot);
    }
  }
  void start_loops_again(llvm::ArrayRef<Instruction*> ends, std::size_t around) {
    for (Instruction* each : ends) start_loops_again(each, around);
  }

  void choose_at(Region& region, const Copy& unchecked) {
    BasicBlock* const other = unchecked.of(region.header);
    llvm::SmallVector<BasicBlock*, 4> into(llvm::predecessors(region.header));
    BasicBlock* const choice =
        choices_.test(abi::kSampleLoop, nullptr, remembering(region, true, region.header),
                      remembering(region, false, other));
    region.slot = choices_.last_slot();
    const auto redirect = [&](BasicBlock* from, BasicBlock* to) {
      from->getTerminator()->replaceSuccessorWith(to, choice);
    };
    for (BasicBlock* each : into) {
      redirect(each, region.header);
      // In an iteration around it that is not sampled, it is not either.
      const bool again = llvm::is_contained(region.latches, each);
      if (!again || (!region.is_long && region.called == nullptr)) continue;
      BasicBlock* const next = region.is_long ? choice : if_called(region, choice, other);
      unchecked.of(each)->getTerminator()->replaceSuccessorWith(other, next);
    }
  }

  // On to the next iteration in U: by way of `choice`, if the last one called something.
  BasicBlock* if_called(const Region& region, BasicBlock* choice, BasicBlock* other) {
    BasicBlock* const block = BasicBlock::Create(context_, "redflag.called", &function_, other);
    IRBuilder<> builder(block);
    Value* const called = builder.CreateLoad(builder.getInt1Ty(), region.called);
    builder.CreateStore(builder.getFalse(), region.called);
    builder.CreateCondBr(called, choice, other);
    return block;
  }

  // The ways in U into what is done now and then.
  void choose_sometimes(Region& region, const Copy& unchecked, BasicBlock& entry) {
    if (region.called != nullptr) {
      new llvm::StoreInst(llvm::ConstantInt::getFalse(context_), region.called,
                          entry.getTerminator()->getIterator());
    }
    for (BasicBlock* each : region.sometimes) {
      BasicBlock* const other = unchecked.of(each);
      llvm::SmallVector<BasicBlock*, 4> into(llvm::predecessors(other));
      BasicBlock* const choice =
          choices_.test(abi::kSampleLoop, nullptr, remembering(region, true, each), other);
      for (BasicBlock* from : into) from->getTerminator()->replaceSuccessorWith(other, choice);
      if (region.called == nullptr) continue;
      new llvm::StoreInst(llvm::ConstantInt::getTrue(context_), region.called, other->begin());
    }
  }

  BasicBlock* remembering(Region& region, bool sampled, BasicBlock* to) {
    BasicBlock* const block = BasicBlock::Create(context_, "redflag.chosen", &function_, to);
    IRBuilder<> builder(block);
    builder.CreateStore(builder.getInt1(sampled), region.sampled);
    Instruction* const end = builder.CreateBr(to);
    if (sampled) region.chosen.push_back(end);
    return block;
  }

  // Where U leaves a loop: back to C, if what is around the loop is sampled.
  void come_back(BasicBlock& from, const Copy& unchecked) {
    const auto inside = innermost_.find(&from);
    if (inside == innermost_.end()) return;
    for (BasicBlock* to : llvm::successors(&from)) {
      const auto around = innermost_.find(to);
      const bool whole = around == innermost_.end();  // the function: U is of sampled calls only
      // Inner regions have higher numbers.
      if ((!whole && around->second >= inside->second) || to->isEHPad()) continue;
      if (!whole && regions_[around->second].header == to) continue;
      BasicBlock* const other = unchecked.of(to);
      llvm::AllocaInst* const sampled = whole ? sampled_ : regions_[around->second].sampled;
      BasicBlock* const back = BasicBlock::Create(context_, "redflag.back", &function_, to);
      // When its time is used up it is not asked again, at the end of each loop in it.
      BasicBlock* const stay = BasicBlock::Create(context_, "redflag.stay", &function_, to);
      BasicBlock* const choice = BasicBlock::Create(context_, "redflag.left", &function_, to);
      IRBuilder<> builder(stay);
      builder.CreateStore(builder.getFalse(), sampled);
      builder.CreateBr(other);
      builder.SetInsertPoint(choice);
      builder.CreateCondBr(builder.CreateLoad(builder.getInt1Ty(), sampled), back, other);
      builder.SetInsertPoint(back);
      choices_.resume(builder, to, stay);
      unchecked.of(&from)->getTerminator()->replaceSuccessorWith(other, choice);
    }
  }

  // Under a budget the time in C is measured, but not that of what it calls.
  void note_time(BasicBlock& block) {
    for (Instruction& each : llvm::make_early_inc_range(block)) {
      if (llvm::isa<llvm::ReturnInst>(each) || llvm::isa<llvm::ResumeInst>(each)) {
        Instruction* at = &each;
        if (llvm::CallInst* tail = block.getTerminatingMustTailCall()) at = tail;
        choices_.call_runtime(at, "__redflag_pause");
      } else if (auto* call = llvm::dyn_cast<llvm::CallInst>(&each);
                 call != nullptr && !call->isMustTailCall() && calls_something(*call, library_) &&
                 !call->getCalledOperand()->getName().starts_with("__tsan_") &&
                 !call->getCalledOperand()->getName().starts_with("__redflag_")) {
        choices_.call_runtime(call, "__redflag_pause");
        choices_.call_runtime(call->getNextNode(), "__redflag_resume");
      } else if (llvm::isa<llvm::InvokeInst>(each)) {
        choices_.call_runtime(&each, "__redflag_pause");
      }
    }
  }
  // A check, only when its own turn comes.
  void guard(Instruction& check) {
    Value* const address =
        check.getOperand(0)->getType()->isPointerTy() ? check.getOperand(0) : nullptr;
    BasicBlock* const block = check.getParent();
    BasicBlock* const here = block->splitBasicBlock(&check, "redflag.check");
    BasicBlock* const rest = here->splitBasicBlock(check.getNextNode(), "redflag.on");
    BasicBlock* const choice = choices_.test(abi::kSampleCheck, address, here, rest);
    block->getTerminator()->setSuccessor(0, choice);
  }

  llvm::Function& function_;
  llvm::LLVMContext& context_;
  const llvm::TargetLibraryInfo& library_;
  llvm::SmallVector<Region, 8> regions_;
  llvm::DenseMap<const BasicBlock*, std::size_t> innermost_;  // the region of a block
  llvm::AllocaInst* sampled_ = nullptr;  // is the call, as far as the time goes?
  Choices choices_;
};

}  // namespace

llvm::PreservedAnalyses Sampled::run(llvm::Function& function,
                                     llvm::FunctionAnalysisManager& analyses) {
  const auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
  const auto& library = analyses.getResult<llvm::TargetLibraryAnalysis>(function);
  const auto& dominators = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
  if (!Sampler(function, loops, dominators, library).run()) return llvm::PreservedAnalyses::all();
  analyses.invalidate(function, llvm::PreservedAnalyses::none());
  // What only checks needed is of no use in the copies without them.
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::ADCEPass());
  passes.addPass(llvm::SimplifyCFGPass());
  passes.run(function, analyses);
  return llvm::PreservedAnalyses::none();
}

}  // namespace redflag::pass
