// Choices: the tests by which `sampled` goes to code that checks or to code that does not.
//
// A region's test is a count-down in thread-local memory (abi.h); only when it ends does the runtime
// decide, and says how long the next one is. What was not asked costs a load, a comparison and a store.
// Calls of the runtime keep the general registers.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include <cstdint>

namespace redflag::pass {

class Choices {
 public:
  explicit Choices(llvm::Function& function)
      : function_(function), context_(function.getContext()) {}

  // A block that goes to one or the other. `address`: of a check, else nullptr.
  llvm::BasicBlock* test(std::uint32_t kind, llvm::Value* address, llvm::BasicBlock* sampled,
                         llvm::BasicBlock* otherwise);
  // The count-down of the last test, and what starts it again, if it has begun: its next execution asks.
  unsigned last_slot() const { return count_ - 1; }
  void start_again(llvm::IRBuilder<>& builder, unsigned slot);
  // Ends the builder's block. The time in code that checks goes on, where it is measured and there is
  // some left; where it is not measured, no register is to be saved for a call.
  void resume(llvm::IRBuilder<>& builder, llvm::BasicBlock* to, llvm::BasicBlock* otherwise);
  // A call of a function without arguments.
  void call_runtime(llvm::Instruction* before, const char* name);
  // At the end: the function's count-downs, each thread's own, and the section by which the program is
  // known.
  void lay_out_slots();

 private:
  // The address of a count-down; of which table, lay_out_slots() says.
  llvm::Instruction* slot(llvm::IRBuilder<>& builder, unsigned number);
  llvm::Instruction* next_slot(llvm::IRBuilder<>& builder) { return slot(builder, count_++); }
  // From code that checks to code that does not: the time ends, if it is measured.
  void leave(llvm::IRBuilder<>& builder, llvm::BasicBlock* otherwise);

  llvm::Function& function_;
  llvm::LLVMContext& context_;
  unsigned count_ = 0;
  llvm::SmallVector<llvm::Instruction*, 64> slots_;  // their addresses, where they are used
};

}  // namespace redflag::pass
