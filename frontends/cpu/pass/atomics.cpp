#include "frontends/cpu/pass/atomics.h"

#include <llvm/CodeGen/AtomicExpandUtils.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <string>

namespace redflag::pass {
namespace {

using llvm::AtomicRMWInst;
using llvm::IRBuilder;
using llvm::Value;

// As C's memory_order_*.
int order_number(llvm::AtomicOrdering order) {
  switch (order) {
    case llvm::AtomicOrdering::Acquire:
      return 2;
    case llvm::AtomicOrdering::Release:
      return 3;
    case llvm::AtomicOrdering::AcquireRelease:
      return 4;
    case llvm::AtomicOrdering::SequentiallyConsistent:
      return 5;
    default:
      return 0;
  }
}

const char* name_of(AtomicRMWInst::BinOp operation) {
  switch (operation) {
    case AtomicRMWInst::Xchg:
      return "exchange";
    case AtomicRMWInst::Add:
      return "fetch_add";
    case AtomicRMWInst::Sub:
      return "fetch_sub";
    case AtomicRMWInst::And:
      return "fetch_and";
    case AtomicRMWInst::Or:
      return "fetch_or";
    case AtomicRMWInst::Xor:
      return "fetch_xor";
    case AtomicRMWInst::Nand:
      return "fetch_nand";
    default:
      return nullptr;
  }
}

class Lowering {
 public:
  explicit Lowering(llvm::Instruction& at) : at_(at), builder_(&at), layout_(at.getDataLayout()) {}

  bool load(llvm::LoadInst& load) {
    if (!choose(load.getPointerOperand(), load.getType())) return false;
    Value* value = call("load", integer_, {load.getPointerOperand(), order(load.getOrdering())});
    return replace(builder_.CreateBitOrPointerCast(value, load.getType()));
  }

  bool store(llvm::StoreInst& store) {
    if (!choose(store.getPointerOperand(), store.getValueOperand()->getType())) return false;
    call("store", builder_.getVoidTy(),
         {store.getPointerOperand(), as_integer(store.getValueOperand()),
          order(store.getOrdering())});
    return replace(nullptr);
  }

  bool modify(AtomicRMWInst& modify) {
    const char* name = name_of(modify.getOperation());
    if (name == nullptr) return expand(modify);
    if (!choose(modify.getPointerOperand(), modify.getType())) return false;
    Value* value = call(name, integer_,
                        {modify.getPointerOperand(), as_integer(modify.getValOperand()),
                         order(modify.getOrdering())});
    return replace(builder_.CreateBitOrPointerCast(value, modify.getType()));
  }

  bool exchange(llvm::AtomicCmpXchgInst& exchange) {
    llvm::Type* type = exchange.getNewValOperand()->getType();
    if (!choose(exchange.getPointerOperand(), type)) return false;
    Value* expected = as_integer(exchange.getCompareOperand());
    Value* seen =
        call("compare_exchange_val", integer_,
             {exchange.getPointerOperand(), expected, as_integer(exchange.getNewValOperand()),
              order(exchange.getSuccessOrdering()), order(exchange.getFailureOrdering())});
    Value* done = builder_.CreateICmpEQ(seen, expected);
    Value* pair = builder_.CreateInsertValue(llvm::PoisonValue::get(exchange.getType()),
                                             builder_.CreateBitOrPointerCast(seen, type), 0);
    return replace(builder_.CreateInsertValue(pair, done, 1));
  }

  bool fence(llvm::FenceInst& fence) {
    const bool own = fence.getSyncScopeID() == llvm::SyncScope::SingleThread;
    const llvm::FunctionCallee callee = at_.getModule()->getOrInsertFunction(
        own ? "__tsan_atomic_signal_fence" : "__tsan_atomic_thread_fence", builder_.getVoidTy(),
        builder_.getInt32Ty());
    builder_.CreateCall(callee, {order(fence.getOrdering())});
    return replace(nullptr);
  }

 private:
  bool choose(const Value* address, llvm::Type* type) {
    const llvm::TypeSize bytes = layout_.getTypeStoreSize(type);
    if (address->getType()->getPointerAddressSpace() != 0 || bytes.isScalable()) return false;
    bits_ = bytes.getFixedValue() * 8;
    integer_ = builder_.getIntNTy(static_cast<unsigned>(bits_));
    return bits_ == 8 || bits_ == 16 || bits_ == 32 || bits_ == 64 || bits_ == 128;
  }
  Value* as_integer(Value* value) { return builder_.CreateBitOrPointerCast(value, integer_); }
  Value* order(llvm::AtomicOrdering of) { return builder_.getInt32(order_number(of)); }

  Value* call(const char* name, llvm::Type* result, llvm::ArrayRef<Value*> arguments) {
    llvm::SmallVector<llvm::Type*, 5> types;
    for (const Value* each : arguments) types.push_back(each->getType());
    const llvm::FunctionCallee callee =
        at_.getModule()->getOrInsertFunction("__tsan_atomic" + std::to_string(bits_) + "_" + name,
                                             llvm::FunctionType::get(result, types, false));
    return builder_.CreateCall(callee, arguments);
  }

  bool replace(Value* by) {
    if (by != nullptr) at_.replaceAllUsesWith(by);
    at_.eraseFromParent();
    return true;
  }

  // A loop of compare-and-exchange, which is lowered as such.
  static bool expand(AtomicRMWInst& modify) {
    llvm::SmallVector<llvm::AtomicCmpXchgInst*, 1> made;
    const bool done = llvm::expandAtomicRMWToCmpXchg(
        &modify, [&made](llvm::IRBuilderBase& builder, Value* address, Value* loaded, Value* value,
                         llvm::Align align, llvm::AtomicOrdering order, llvm::SyncScope::ID scope,
                         Value*& success, Value*& seen) {
          llvm::Type* const type = value->getType();
          if (type->isFloatingPointTy()) {
            llvm::Type* bits = builder.getIntNTy(type->getPrimitiveSizeInBits());
            value = builder.CreateBitCast(value, bits);
            loaded = builder.CreateBitCast(loaded, bits);
          }
          llvm::AtomicCmpXchgInst* pair = builder.CreateAtomicCmpXchg(
              address, loaded, value, align, order,
              llvm::AtomicCmpXchgInst::getStrongestFailureOrdering(order), scope);
          made.push_back(pair);
          success = builder.CreateExtractValue(pair, 1);
          seen = builder.CreateExtractValue(pair, 0);
          if (type->isFloatingPointTy()) seen = builder.CreateBitCast(seen, type);
        });
    for (llvm::AtomicCmpXchgInst* each : made) Lowering(*each).exchange(*each);
    return done;
  }

  llvm::Instruction& at_;
  IRBuilder<> builder_;
  const llvm::DataLayout& layout_;
  std::uint64_t bits_ = 0;
  llvm::Type* integer_ = nullptr;
};

}  // namespace

bool is_atomic(const llvm::Instruction& instruction) {
  return instruction.isAtomic() && !llvm::isa<llvm::CallBase>(instruction);
}

bool lower_atomic(llvm::Instruction& instruction) {
  Lowering lowering(instruction);
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) return lowering.load(*load);
  if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) return lowering.store(*store);
  if (auto* modify = llvm::dyn_cast<AtomicRMWInst>(&instruction)) return lowering.modify(*modify);
  if (auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
    return lowering.exchange(*exchange);
  }
  if (auto* fence = llvm::dyn_cast<llvm::FenceInst>(&instruction)) return lowering.fence(*fence);
  return false;
}

}  // namespace redflag::pass
