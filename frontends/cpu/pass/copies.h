// Copies of a function's body, side by side in the function, that have their values in common.
//
// Code that runs in one copy may go on in another at any block: all values that live across blocks are
// put on the stack first, where the copies share them, and come back to registers (mem2reg) when the
// ways between the copies are made. The entry is no part of the body: it keeps the allocas.
#pragma once

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

namespace redflag::pass {

// Calls of the runtime that only check: none of them in code that does not.
bool only_checks(const llvm::Instruction& instruction);

// Code of others, which may look at the frames.
bool calls_something(const llvm::Instruction& instruction, const llvm::TargetLibraryInfo& library);

bool can_be_copied(const llvm::Function& function);

// Clang returns undef from functions whose result nobody looks at, though it says that they do not.
// With several returns LLVM would conclude that none is reached: they return something.
void define_results(llvm::Function& function);

// Where the body begins.
llvm::BasicBlock* split_entry(llvm::BasicBlock& entry);

// Every value of the body that another block uses, and every phi.
llvm::SmallVector<llvm::AllocaInst*, 64> put_on_stack(llvm::BasicBlock& entry);

// One copy of the body: its blocks, by those of the original.
class Copy {
 public:
  Copy(llvm::ArrayRef<llvm::BasicBlock*> body, const char* suffix);
  llvm::BasicBlock* of(llvm::BasicBlock* original) const {
    return llvm::cast<llvm::BasicBlock>(values_.lookup(original));
  }
  llvm::ArrayRef<llvm::BasicBlock*> blocks() const { return blocks_; }
  // Nothing in it checks any more.
  void uncheck();

 private:
  llvm::ValueToValueMapTy values_;
  llvm::SmallVector<llvm::BasicBlock*, 32> blocks_;
};

}  // namespace redflag::pass
