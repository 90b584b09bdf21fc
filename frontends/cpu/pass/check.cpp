#include "frontends/cpu/pass/check.h"

#include <llvm/IR/Module.h>

namespace redflag::pass {
namespace {

using llvm::CallInst;
using llvm::Instruction;
using llvm::IRBuilder;
using llvm::Value;

constexpr const char* kRareName = "redflag.rare";
constexpr const char* kGatheredName = "redflag.gathered";

llvm::FunctionCallee declare(IRBuilder<>& builder, const char* name,
                             llvm::ArrayRef<llvm::Type*> parameters) {
  llvm::Module& module = *builder.GetInsertBlock()->getModule();
  auto* type = llvm::FunctionType::get(builder.getVoidTy(), parameters, false);
  llvm::FunctionCallee callee = module.getOrInsertFunction(name, type);
  auto* function = llvm::cast<llvm::Function>(callee.getCallee());
  function->setOnlyAccessesInaccessibleMemory();
  function->setDoesNotThrow();
  function->setWillReturn();
  function->setDoesNotFreeMemory();
  function->addFnAttr(llvm::Attribute::NoSync);
  function->addFnAttr(llvm::Attribute::NoCallback);
  function->addParamAttr(0, llvm::Attribute::NoCapture);
  function->addParamAttr(0, llvm::Attribute::ReadNone);
  return callee;
}

CallInst* call_of(Instruction& instruction, const char* name) {
  auto* call = llvm::dyn_cast<CallInst>(&instruction);
  if (call == nullptr) return nullptr;
  const llvm::Function* callee = call->getCalledFunction();
  return callee != nullptr && callee->getName() == name ? call : nullptr;
}

}  // namespace

std::optional<Check> Check::of(Instruction& instruction) {
  CallInst* call = call_of(instruction, kCheckName);
  if (call == nullptr) return std::nullopt;
  return Check(call);
}

Check Check::create(IRBuilder<>& builder, Value* address, llvm::Align align, std::uint64_t size,
                    std::uint32_t kind) {
  const llvm::FunctionCallee callee = declare(
      builder, kCheckName, {builder.getPtrTy(), builder.getInt64Ty(), builder.getInt32Ty()});
  CallInst* const call =
      builder.CreateCall(callee, {address, builder.getInt64(size), builder.getInt32(kind)});
  call->addParamAttr(0, llvm::Attribute::getWithAlignment(builder.getContext(), align));
  return Check(call);
}

std::optional<Range> Range::of(Instruction& instruction) {
  CallInst* call = call_of(instruction, kRangeName);
  if (call == nullptr) return std::nullopt;
  return Range(call);
}

Range Range::create(IRBuilder<>& builder, Value* start, Value* step, Value* count,
                    std::uint64_t size, std::uint32_t kind) {
  llvm::Type* i64 = builder.getInt64Ty();
  const llvm::FunctionCallee callee =
      declare(builder, kRangeName, {builder.getPtrTy(), i64, i64, i64, builder.getInt32Ty()});
  return Range(builder.CreateCall(
      callee, {start, step, count, builder.getInt64(size), builder.getInt32(kind)}));
}

void Range::set_gathered(Gathered when) const {
  call_->setMetadata(when == Gathered::kBrokenOff ? kRareName : kGatheredName,
                     llvm::MDNode::get(call_->getContext(), {}));
}
bool Range::is_gathered() const {
  return call_->hasMetadata(kGatheredName);
}
bool Range::is_rare() const {
  return call_->hasMetadata(kRareName);
}

std::optional<Rows> Rows::of(Instruction& instruction) {
  CallInst* call = call_of(instruction, kRowsName);
  if (call == nullptr) return std::nullopt;
  return Rows(call);
}

Rows Rows::create(IRBuilder<>& builder, const Range& like, Value* start, Value* step, Value* count,
                  Value* rows, Value* pitch) {
  llvm::Type* i64 = builder.getInt64Ty();
  const llvm::FunctionCallee callee = declare(
      builder, kRowsName, {builder.getPtrTy(), i64, i64, i64, builder.getInt32Ty(), i64, i64});
  return Rows(builder.CreateCall(callee, {start, step, count, builder.getInt64(like.size()),
                                          builder.getInt32(like.kind()), rows, pitch}));
}

bool Rows::writes() const {
  return (llvm::cast<llvm::ConstantInt>(call_->getArgOperand(4))->getZExtValue() & kWrites) != 0;
}

bool is_mark(const Instruction& instruction) {
  auto& mutable_instruction = const_cast<Instruction&>(instruction);
  return llvm::any_of(
      std::initializer_list<const char*>{kCheckName, kRangeName, kRowsName},
      [&](const char* name) { return call_of(mutable_instruction, name) != nullptr; });
}

}  // namespace redflag::pass
