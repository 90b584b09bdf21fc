#include "frontends/cpu/pass/quiet_loop.h"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

#include "frontends/cpu/pass/sync.h"

namespace redflag::pass {

std::optional<QuietLoop> QuietLoop::of(llvm::Loop& loop, llvm::ScalarEvolution& evolution,
                                       llvm::DominatorTree& dominators,
                                       const llvm::TargetLibraryInfo& library) {
  QuietLoop quiet;
  quiet.loop_ = &loop;
  quiet.evolution_ = &evolution;
  quiet.dominators_ = &dominators;
  quiet.preheader_ = loop.getLoopPreheader();
  quiet.latch_ = loop.getLoopLatch();
  if (quiet.preheader_ == nullptr || quiet.latch_ == nullptr || !loop.hasDedicatedExits()) {
    return std::nullopt;
  }
  for (llvm::BasicBlock* block : loop.blocks()) {
    for (const llvm::Instruction& each : *block) {
      if (may_synchronise(each, library) || !always_continues(each, library)) return std::nullopt;
    }
  }
  loop.getExitingBlocks(quiet.exiting_);
  if (quiet.exiting_.empty()) return std::nullopt;
  bool has_place = true;  // for a check behind the loop: blocks of Windows' exceptions have none
  quiet.for_each_exit(
      [&](llvm::BasicBlock* exit) { has_place &= exit->getFirstInsertionPt() != exit->end(); });
  if (!has_place) return std::nullopt;
  return quiet;
}

bool QuietLoop::is_sure_at_exits(const llvm::BasicBlock* block) const {
  return llvm::all_of(exiting_, [&](const llvm::BasicBlock* leaving) {
    return dominates(block, leaving) || dominates(leaving, block);
  });
}

bool QuietLoop::as_often(const llvm::BasicBlock& a, const llvm::BasicBlock& b) const {
  return &a == &b || llvm::all_of(exiting_, [&](const llvm::BasicBlock* leaving) {
    return dominates(&a, leaving) == dominates(&b, leaving);
  });
}

const llvm::SCEVAddRecExpr* QuietLoop::walk(const llvm::SCEV* value) const {
  const auto* walk = llvm::dyn_cast<llvm::SCEVAddRecExpr>(value);
  return walk != nullptr && walk->getLoop() == loop_ && walk->isAffine() ? walk : nullptr;
}

bool QuietLoop::can_expand(const llvm::SCEV* value) const {
  llvm::SCEVExpander expander(*evolution_, preheader_->getDataLayout(), "redflag");
  return expander.isSafeToExpandAt(value, preheader_->getTerminator());
}

llvm::Value* QuietLoop::expand(const llvm::SCEV* value) const {
  llvm::SCEVExpander expander(*evolution_, preheader_->getDataLayout(), "redflag");
  return expander.expandCodeFor(value, value->getType(), preheader_->getTerminator());
}

}  // namespace redflag::pass
