// Local: no checks where no other thread can be.
//
// A stack object whose address is never stored, returned or handed to anybody has one thread. Constant
// globals are never written; nor is a global that only this module can name, that nobody's pointer
// reaches, and that no code here writes. Each is decided on the object that the address is computed
// from; where that is not known, the check stays.
//
// Sound: a location with one thread, or without writes, has no races.
#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/CaptureTracking.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

#include "frontends/cpu/pass/check.h"
#include "frontends/cpu/pass/passes.h"

namespace redflag::pass {
namespace {

using llvm::Value;

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
      return global->isConstant();
    }
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
