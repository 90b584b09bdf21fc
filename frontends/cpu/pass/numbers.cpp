// Numbers: calls of mathematical functions keep nothing from being moved.
//
// log and its kin may set errno, so LLVM takes them to write any memory: a loop that calls one loads
// the bases of its arrays again in each iteration, and none of its accesses is known to be a walk
// (loops.cpp). In a function that never asks where errno is, nobody can see that; there the calls are
// said to touch no memory of the program's, and what LLVM makes of it is left to LLVM: equal loads
// become one, and those that stay the same leave their loops.
//
// Sound: errno is read and written through __errno_location() only, which a function that is treated
// so does not call; what it calls reads errno after the call as before.
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>

#include "frontends/cpu/pass/passes.h"
#include "frontends/cpu/pass/sync.h"

namespace redflag::pass {

llvm::PreservedAnalyses Numbers::run(llvm::Function& function,
                                     llvm::FunctionAnalysisManager& analyses) {
  const auto& library = analyses.getResult<llvm::TargetLibraryAnalysis>(function);
  llvm::SmallVector<llvm::CallBase*, 16> calls;
  for (llvm::Instruction& each : llvm::instructions(function)) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(&each);
    if (call == nullptr || call->getCalledFunction() == nullptr) continue;
    if (call->getCalledFunction()->getName() == "__errno_location") {
      return llvm::PreservedAnalyses::all();
    }
    const bool writes = !call->onlyAccessesInaccessibleMemory();
    if (writes && !call->isNoBuiltin() && only_computes(*call, library)) calls.push_back(call);
  }
  if (calls.empty()) return llvm::PreservedAnalyses::all();
  for (llvm::CallBase* each : calls) {
    each->setOnlyAccessesInaccessibleMemory();
    each->setDoesNotThrow();
    each->addFnAttr(llvm::Attribute::WillReturn);
  }
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()),
                                                       /*UseMemorySSA=*/true));
  analyses.invalidate(function, llvm::PreservedAnalyses::none());
  passes.run(function, analyses);
  return llvm::PreservedAnalyses::none();
}

}  // namespace redflag::pass
