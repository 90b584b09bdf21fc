#include "frontends/cpu/pass/choices.h"

#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include "frontends/cpu/abi/abi.h"
#include "frontends/cpu/pass/frames.h"

namespace redflag::pass {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::IRBuilder;
using llvm::Value;

void call(IRBuilder<>& builder, llvm::FunctionCallee callee, llvm::ArrayRef<Value*> arguments) {
  if (auto* target = llvm::dyn_cast<llvm::Function>(callee.getCallee())) {
    target->setDoesNotThrow();
    target->setCallingConv(llvm::CallingConv::PreserveMost);
  }
  llvm::CallInst* const made = builder.CreateCall(callee, arguments);
  made->setDoesNotThrow();
  made->setCallingConv(llvm::CallingConv::PreserveMost);
}

}  // namespace

void Choices::call_runtime(Instruction* before, const char* name) {
  IRBuilder<> builder(before);
  const llvm::FunctionCallee callee = function_.getParent()->getOrInsertFunction(
      name, llvm::FunctionType::get(builder.getVoidTy(), false));
  call(builder, callee, {});
}

BasicBlock* Choices::test(std::uint32_t kind, Value* address, BasicBlock* sampled,
                          BasicBlock* otherwise) {
  const auto block = [&](const char* name) {
    return BasicBlock::Create(context_, name, &function_, sampled);
  };
  BasicBlock* const choice = block("redflag.choice");
  BasicBlock* const wait = block("redflag.wait");
  BasicBlock* const due = block("redflag.due");
  BasicBlock* const ask = block("redflag.ask");
  llvm::MDBuilder weights(context_);
  IRBuilder<> builder(choice);
  llvm::Type* const i32 = builder.getInt32Ty();
  Instruction* const slot = next_slot(builder);
  Value* const left = builder.CreateLoad(i32, slot);
  builder.CreateCondBr(builder.CreateICmpSLT(left, builder.getInt32(abi::kOneWait)), due, wait,
                       weights.createBranchWeights(1, 1000));
  builder.SetInsertPoint(wait);
  builder.CreateStore(builder.CreateSub(left, builder.getInt32(abi::kOneWait)), slot);
  if (kind == abi::kSampleLoop) leave(builder, otherwise);
  builder.CreateBr(otherwise);
  builder.SetInsertPoint(due);
  builder.CreateCondBr(builder.CreateICmpSLT(left, builder.getInt32(0)), sampled, ask);
  builder.SetInsertPoint(ask);
  const llvm::FunctionCallee callee = function_.getParent()->getOrInsertFunction(
      "__redflag_sample",
      llvm::FunctionType::get(builder.getVoidTy(), {builder.getPtrTy(), builder.getPtrTy(), i32},
                              false));
  Value* const nowhere = llvm::ConstantPointerNull::get(builder.getPtrTy());
  call(builder, callee, {slot, address == nullptr ? nowhere : address, builder.getInt32(kind)});
  Value* const verdict = builder.CreateLoad(i32, hot_field(builder, abi::kHotVerdict));
  builder.CreateCondBr(builder.CreateICmpNE(verdict, builder.getInt32(0)), sampled, otherwise);
  return choice;
}

void Choices::leave(IRBuilder<>& builder, BasicBlock* otherwise) {
  Value* const since = builder.CreateLoad(builder.getInt64Ty(), hot_field(builder, abi::kHotSince));
  BasicBlock* const measured = BasicBlock::Create(context_, "redflag.left", &function_, otherwise);
  BasicBlock* const on = BasicBlock::Create(context_, "redflag.on", &function_, otherwise);
  builder.CreateCondBr(builder.CreateICmpEQ(since, builder.getInt64(0)), on, measured,
                       llvm::MDBuilder(context_).createBranchWeights(1000, 1));
  builder.SetInsertPoint(measured);
  const llvm::FunctionCallee callee = function_.getParent()->getOrInsertFunction(
      "__redflag_pause", llvm::FunctionType::get(builder.getVoidTy(), false));
  call(builder, callee, {});
  builder.CreateBr(on);
  builder.SetInsertPoint(on);
}

Instruction* Choices::slot(IRBuilder<>& builder, unsigned number) {
  slots_.push_back(
      builder.Insert(llvm::GetElementPtrInst::Create(builder.getInt32Ty(),
                                                     llvm::PoisonValue::get(builder.getPtrTy()),
                                                     {builder.getInt64(number)}),
                     "slot"));
  return slots_.back();
}

void Choices::start_again(IRBuilder<>& builder, unsigned number) {
  Instruction* const address = slot(builder, number);
  Value* const left = builder.CreateLoad(builder.getInt32Ty(), address);
  Value* const once = builder.getInt32(1);
  builder.CreateStore(builder.CreateSelect(builder.CreateICmpSGT(left, once), once, left), address);
}

void Choices::lay_out_slots() {
  llvm::Module& module = *function_.getParent();
  auto* type = llvm::ArrayType::get(llvm::Type::getInt32Ty(context_), count_);
  auto* slots = new llvm::GlobalVariable(module, type, false, llvm::GlobalValue::InternalLinkage,
                                         llvm::Constant::getNullValue(type), "redflag.slots",
                                         nullptr, llvm::GlobalValue::GeneralDynamicTLSModel);
  slots->setAlignment(llvm::Align(4));
  for (Instruction* each : slots_) {
    IRBuilder<> builder(each);
    Value* const base = builder.CreateThreadLocalAddress(slots);
    each->setOperand(0, base);
  }
  if (module.getNamedGlobal("redflag.sampled") != nullptr) return;
  auto* mark = new llvm::GlobalVariable(
      module, llvm::Type::getInt8Ty(context_), true, llvm::GlobalValue::InternalLinkage,
      llvm::ConstantInt::get(llvm::Type::getInt8Ty(context_), 1), "redflag.sampled");
  mark->setSection(abi::kSampledSection);
  llvm::appendToUsed(module, {mark});
}

void Choices::resume(IRBuilder<>& builder, BasicBlock* to, BasicBlock* otherwise) {
  llvm::Module& module = *function_.getParent();
  llvm::GlobalVariable* flag = module.getGlobalVariable("__redflag_measures");
  if (flag == nullptr) {
    flag =
        new llvm::GlobalVariable(module, builder.getInt32Ty(), false,
                                 llvm::GlobalValue::ExternalLinkage, nullptr, "__redflag_measures");
  }
  BasicBlock* const measured = BasicBlock::Create(context_, "redflag.measured", &function_, to);
  builder.CreateCondBr(
      builder.CreateICmpEQ(builder.CreateLoad(builder.getInt32Ty(), flag), builder.getInt32(0)), to,
      measured, llvm::MDBuilder(context_).createBranchWeights(1000, 1));
  builder.SetInsertPoint(measured);
  Instruction* const slot = next_slot(builder);
  call(builder,
       module.getOrInsertFunction(
           "__redflag_come_back",
           llvm::FunctionType::get(builder.getVoidTy(), {builder.getPtrTy()}, false)),
       {slot});
  Instruction* const verdict =
      builder.CreateLoad(builder.getInt32Ty(), hot_field(builder, abi::kHotVerdict));
  builder.CreateCondBr(builder.CreateICmpNE(verdict, builder.getInt32(0)), to, otherwise);
}

}  // namespace redflag::pass
