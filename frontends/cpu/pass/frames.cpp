#include "frontends/cpu/pass/frames.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include "frontends/cpu/abi/abi.h"

namespace redflag::pass {

llvm::Value* hot_field(llvm::IRBuilderBase& builder, unsigned offset) {
  llvm::Module& module = *builder.GetInsertBlock()->getModule();
  llvm::GlobalVariable* hot = module.getGlobalVariable("__redflag_hot");
  if (hot == nullptr) {
    hot = new llvm::GlobalVariable(module, builder.getInt64Ty(), false,
                                   llvm::GlobalValue::ExternalLinkage, nullptr, "__redflag_hot",
                                   nullptr, llvm::GlobalValue::InitialExecTLSModel);
  }
  return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), hot, offset);
}

namespace {

constexpr const char* kFrameTag = "redflag.frame";

void mark(llvm::StoreInst* store) {
  store->setMetadata(kFrameTag, llvm::MDNode::get(store->getContext(), {}));
}

// The top goes back to `frame`, if it is a little above it; otherwise it is another stack's.
void pop(llvm::IRBuilder<>& builder, llvm::Value* frame) {
  llvm::Type* const i64 = builder.getInt64Ty();
  llvm::Value* const now = builder.CreateLoad(builder.getPtrTy(), hot_field(builder, abi::kHotTop));
  llvm::Value* const above =
      builder.CreateSub(builder.CreatePtrToInt(now, i64), builder.CreatePtrToInt(frame, i64));
  llvm::Value* const ours = builder.CreateICmpULT(above, builder.getInt64(abi::kMostUnwound));
  mark(builder.CreateStore(builder.CreateSelect(ours, frame, now),
                           hot_field(builder, abi::kHotTop)));
}

}  // namespace

bool is_of_frame(const llvm::Instruction& instruction) {
  return instruction.hasMetadata(kFrameTag);
}

void add_frame(llvm::Function& function) {
  llvm::BasicBlock& entry = function.getEntryBlock();
  llvm::IRBuilder<> builder(&entry, entry.getFirstNonPHIOrDbgOrAlloca());
  llvm::Type* const pointer = builder.getPtrTy();
  llvm::Value* const caller = builder.CreateIntrinsic(llvm::Intrinsic::returnaddress, {},
                                                      {builder.getInt32(0)}, nullptr, "caller");
  llvm::Value* const frame = builder.CreateLoad(pointer, hot_field(builder, abi::kHotTop), "frame");
  mark(builder.CreateStore(caller, frame));
  mark(builder.CreateStore(builder.getInt32(0),
                           builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), frame, 8)));
  llvm::Value* const limit = builder.CreateLoad(pointer, hot_field(builder, abi::kHotLimit));
  llvm::Value* const next =
      builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), frame, abi::kFrameBytes);
  llvm::Value* const top =
      builder.CreateSelect(builder.CreateICmpEQ(frame, limit), frame, next, "top");
  mark(builder.CreateStore(top, hot_field(builder, abi::kHotTop)));

  for (llvm::BasicBlock& block : function) {
    if (auto* pad = block.getLandingPadInst(); pad != nullptr) {
      builder.SetInsertPoint(pad->getNextNode());
      mark(builder.CreateStore(top, hot_field(builder, abi::kHotTop)));
    }
    llvm::Instruction* last = block.getTerminator();
    if (!llvm::isa<llvm::ReturnInst>(last) && !llvm::isa<llvm::ResumeInst>(last)) continue;
    // A call that must be the last thing stays so: its own frame takes the place of this one.
    if (llvm::CallInst* tail = block.getTerminatingMustTailCall()) last = tail;
    builder.SetInsertPoint(last);
    pop(builder, frame);
  }
}

}  // namespace redflag::pass
