// Local: no checks where no other thread can be.
//
// A stack object whose address is never stored, returned or handed to anybody has one thread.
// Constant globals and virtual tables are never written; nor is a global that only this module can
// name, that nobody's pointer reaches, and that no code here writes. Each is decided on the object
// that the address is computed from; where that is not known, the check stays.
//
// Sound: a location with one thread, or without writes, has no races.
#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/CaptureTracking.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

#include "frontends/cpu/pass/check.h"
#include "frontends/cpu/pass/passes.h"

namespace redflag::pass {
namespace {

using llvm::Value;

// Does this use of an address only read what is there, and keep nothing of it but `next`, another address?
bool only_reads(const llvm::Use& use, const Value*& next) {
  auto* const user = llvm::cast<Value>(use.getUser());
  if (const auto* offset = llvm::dyn_cast<llvm::GEPOperator>(user)) {
    next = offset;
    return true;
  }
  auto* const instruction = llvm::dyn_cast<llvm::Instruction>(user);
  if (instruction == nullptr) return false;
  if (llvm::isa<llvm::LoadInst>(instruction)) return true;
  if (const std::optional<Check> check = Check::of(*instruction)) return !check->writes();
  if (const std::optional<Range> range = Range::of(*instruction)) return !range->writes();
  const auto* const call = llvm::dyn_cast<llvm::CallBase>(instruction);
  const llvm::Function* callee = call != nullptr ? call->getCalledFunction() : nullptr;
  if (callee == nullptr || !call->isArgOperand(&use)) return false;
  const bool copies = llvm::isa<llvm::MemTransferInst>(call) ||
                      callee->getName() == "__tsan_memcpy" || callee->getName() == "__tsan_memmove";
  return copies && call->getArgOperandNo(&use) == 1;
}

// A global of this module that nobody writes. The first function that asks decides, and notes it: where
// checks are lowered already, their arithmetic looks as if the address went away.
bool is_only_read(const llvm::GlobalVariable& global) {
  constexpr const char* kNote = "redflag.only_read";
  constexpr std::size_t kMostUses = 1000;
  if (!global.hasLocalLinkage() || !global.hasDefinitiveInitializer()) return false;
  llvm::LLVMContext& context = global.getContext();
  const auto answer = [&](bool yes) {
    auto* word = llvm::ConstantAsMetadata::get(llvm::ConstantInt::getBool(context, yes));
    const_cast<llvm::GlobalVariable&>(global).setMetadata(kNote, llvm::MDNode::get(context, word));
    return yes;
  };
  if (const llvm::MDNode* note = global.getMetadata(kNote)) {
    return llvm::mdconst::extract<llvm::ConstantInt>(note->getOperand(0))->isOne();
  }
  llvm::SmallVector<const Value*, 8> addresses{&global};
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    for (const llvm::Use& use : addresses[i]->uses()) {
      const Value* next = nullptr;
      if (addresses.size() > kMostUses || !only_reads(use, next)) return answer(false);
      if (next != nullptr) addresses.push_back(next);
    }
  }
  return answer(true);
}

// What the pointer of an object's virtual table points to.
bool is_virtual_table(const Value* object) {
  const auto* const load = llvm::dyn_cast<llvm::LoadInst>(object);
  const llvm::MDNode* tag =
      load == nullptr ? nullptr : load->getMetadata(llvm::LLVMContext::MD_tbaa);
  return tag != nullptr && tag->isTBAAVtableAccess();
}

class Locality {
 public:
  bool is_local(const Value* address) {
    const Value* object = llvm::getUnderlyingObject(address, 0);
    const auto [at, is_new] = known_.try_emplace(object, false);
    if (is_new) at->second = decide(object);
    return at->second;
  }

 private:
  static bool decide(const Value* object) {
    if (const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(object)) {
      return global->isConstant() || is_only_read(*global);
    }
    if (is_virtual_table(object)) return true;
    if (!llvm::isa<llvm::AllocaInst>(object)) return false;
    return !llvm::PointerMayBeCaptured(object, /*ReturnCaptures=*/true, /*StoreCaptures=*/true);
  }
  llvm::DenseMap<const Value*, bool> known_;
};

}  // namespace

llvm::PreservedAnalyses Local::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  Locality locality;
  llvm::SmallVector<Check, 64> dropped;
  for (llvm::Instruction& each : llvm::instructions(function)) {
    const std::optional<Check> check = Check::of(each);
    if (check && locality.is_local(check->address())) dropped.push_back(*check);
  }
  for (const Check& each : dropped) each.erase();
  if (dropped.empty()) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

}  // namespace redflag::pass
