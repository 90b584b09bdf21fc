#include "frontends/cpu/pass/copies.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>

#include "frontends/cpu/pass/check.h"
#include "frontends/cpu/pass/sync.h"

namespace redflag::pass {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

bool only_checks(const Instruction& instruction) {
  if (is_mark(instruction)) return true;
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  const llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
  if (callee == nullptr) return false;
  const llvm::StringRef name = callee->getName();
  return name == "__redflag_read_lane" || name == "__redflag_write_lane" ||
         name == "__tsan_vptr_update" || name == "__tsan_vptr_read";
}

namespace {

// Assembly that defines a name: twice in a program it is an error. `1:` may be there often.
bool names_a_place(const llvm::CallBase& call) {
  const auto* const assembly = llvm::dyn_cast<llvm::InlineAsm>(call.getCalledOperand());
  if (assembly == nullptr) return false;
  llvm::SmallVector<llvm::StringRef, 8> statements;
  llvm::SplitString(assembly->getAsmString(), statements, "\n;");
  return llvm::any_of(statements, [](llvm::StringRef statement) {
    const llvm::StringRef name = statement.trim().take_while(
        [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$'; });
    return !name.empty() && !llvm::isDigit(name.front()) &&
           statement.trim().substr(name.size()).starts_with(":");
  });
}

}  // namespace

bool can_be_copied(const llvm::Function& function) {
  if (function.callsFunctionThatReturnsTwice()) return false;
  for (const BasicBlock& block : function) {
    if (block.hasAddressTaken()) return false;
    const Instruction* last = block.getTerminator();
    if (llvm::isa<llvm::IndirectBrInst>(last) || llvm::isa<llvm::CallBrInst>(last)) return false;
    for (const Instruction& each : block) {
      if (each.getType()->isTokenTy()) return false;
      const auto* const call = llvm::dyn_cast<llvm::CallBase>(&each);
      if (call != nullptr && (call->cannotDuplicate() || names_a_place(*call))) return false;
    }
  }
  return true;
}

bool calls_something(const Instruction& instruction, const llvm::TargetLibraryInfo& library) {
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  if (call == nullptr || only_checks(instruction)) return false;
  if (const auto* memory = llvm::dyn_cast<llvm::MemIntrinsic>(call)) {
    return !llvm::isa<llvm::ConstantInt>(memory->getLength());
  }
  return !llvm::isa<llvm::IntrinsicInst>(call) && !only_computes(*call, library);
}

void define_results(llvm::Function& function) {
  for (BasicBlock& block : function) {
    auto* exit = llvm::dyn_cast<llvm::ReturnInst>(block.getTerminator());
    if (exit == nullptr || block.getTerminatingMustTailCall() != nullptr) continue;
    if (Value* const result = exit->getReturnValue();
        llvm::isa_and_nonnull<llvm::UndefValue>(result)) {
      exit->setOperand(0, llvm::Constant::getNullValue(result->getType()));
    }
  }
}

BasicBlock* split_entry(BasicBlock& entry) {
  Instruction* first = &*entry.getFirstNonPHIOrDbgOrAlloca();
  for (Instruction& each :
       llvm::make_early_inc_range(llvm::make_range(first->getIterator(), entry.end()))) {
    auto* alloca = llvm::dyn_cast<llvm::AllocaInst>(&each);
    if (alloca != nullptr && alloca->isStaticAlloca()) alloca->moveBefore(first);
  }
  return entry.splitBasicBlock(first, "redflag.start");
}

llvm::SmallVector<llvm::AllocaInst*, 64> put_on_stack(BasicBlock& entry) {
  llvm::SmallVector<llvm::AllocaInst*, 64> made;
  const BasicBlock::iterator top = entry.begin();
  llvm::SmallVector<Instruction*, 64> values;
  llvm::SmallVector<llvm::PHINode*, 64> phis;
  for (Instruction& each : llvm::instructions(*entry.getParent())) {
    if (each.getParent() == &entry) continue;
    const bool escapes = llvm::any_of(each.users(), [&](const llvm::User* user) {
      const auto* by = llvm::cast<Instruction>(user);
      return by->getParent() != each.getParent() || llvm::isa<llvm::PHINode>(by);
    });
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(&each)) {
      phis.push_back(phi);
      if (escapes) values.push_back(phi);
    } else if (escapes) {
      values.push_back(&each);
    }
  }
  for (Instruction* each : values) {
    if (auto* slot = llvm::DemoteRegToStack(*each, false, top)) made.push_back(slot);
  }
  for (llvm::PHINode* each : phis) {
    if (auto* slot = llvm::DemotePHIToStack(each, top)) made.push_back(slot);
  }
  return made;
}

Copy::Copy(llvm::ArrayRef<BasicBlock*> body, const char* suffix) {
  for (BasicBlock* block : body) {
    BasicBlock* const made = llvm::CloneBasicBlock(block, values_, suffix, block->getParent());
    values_[block] = made;
    blocks_.push_back(made);
  }
  const llvm::RemapFlags flags = llvm::RF_NoModuleLevelChanges | llvm::RF_IgnoreMissingLocals;
  for (BasicBlock* block : blocks_) {
    for (Instruction& each : *block) {
      llvm::RemapDbgRecordRange(block->getModule(), each.getDbgRecordRange(), values_, flags);
      llvm::RemapInstruction(&each, values_, flags);
    }
  }
}

void Copy::uncheck() {
  for (BasicBlock* block : blocks_) {
    for (Instruction& each : llvm::make_early_inc_range(*block)) {
      if (only_checks(each)) each.eraseFromParent();
    }
  }
}

}  // namespace redflag::pass
