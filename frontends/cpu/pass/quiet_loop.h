// A loop in which nothing ends a stretch (sync.h), in simplified form: what `loops` and `nests` work on.
//
// It has a preheader, one latch, and exits that are its own; nothing in it synchronises, and each
// instruction is followed by the next, so that whoever enters it comes to one of its exits, or stays
// in it for ever. So a check of it may stand before it or behind it, as far as it is known there which
// accesses the loop makes, or made.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Dominators.h>

#include <optional>

namespace redflag::pass {

class QuietLoop {
 public:
  static std::optional<QuietLoop> of(llvm::Loop& loop, llvm::ScalarEvolution& evolution,
                                     llvm::DominatorTree& dominators,
                                     const llvm::TargetLibraryInfo& library);

  llvm::Loop& loop() const { return *loop_; }
  llvm::ScalarEvolution& evolution() const { return *evolution_; }
  llvm::DominatorTree& dominators() const { return *dominators_; }
  llvm::BasicBlock* preheader() const { return preheader_; }
  llvm::BasicBlock* latch() const { return latch_; }
  llvm::ArrayRef<llvm::BasicBlock*> exiting() const { return exiting_; }

  bool dominates(const llvm::BasicBlock* a, const llvm::BasicBlock* b) const {
    return dominators_->dominates(a, b);
  }
  bool is_invariant(const llvm::SCEV* value) const {
    return evolution_->isLoopInvariant(value, loop_);
  }
  // Of a block that every iteration comes by: is it sure, wherever the loop is left, whether the last
  // one did?
  bool is_sure_at_exits(const llvm::BasicBlock* block) const;
  // Of two such blocks: whether both, or neither, were come by where the loop is left.
  bool as_often(const llvm::BasicBlock& a, const llvm::BasicBlock& b) const;
  // An affine walk of this loop; nullptr: it is none.
  const llvm::SCEVAddRecExpr* walk(const llvm::SCEV* value) const;

  // The value as code, in front of the loop.
  bool can_expand(const llvm::SCEV* value) const;
  llvm::Value* expand(const llvm::SCEV* value) const;

  template <typename Act>
  void for_each_exit(Act act) const {
    llvm::SmallVector<llvm::BasicBlock*, 4> exits;
    loop_->getUniqueExitBlocks(exits);
    for (llvm::BasicBlock* exit : exits) act(exit);
  }

 private:
  llvm::Loop* loop_ = nullptr;
  llvm::ScalarEvolution* evolution_ = nullptr;
  llvm::DominatorTree* dominators_ = nullptr;
  llvm::BasicBlock* preheader_ = nullptr;
  llvm::BasicBlock* latch_ = nullptr;
  llvm::SmallVector<llvm::BasicBlock*, 4> exiting_;
};

}  // namespace redflag::pass
