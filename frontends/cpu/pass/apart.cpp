// Apart: calls that a report names by their line stay as many as the program has.
//
// LLVM makes one of two equal calls in two branches, and that one has no line: a report of
// one-sided operations (frontends/pgas) that names the place of such a call would have nothing to
// say. So calls of MPI and OpenSHMEM are not to be merged. It runs before LLVM's own passes.
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>

#include "frontends/cpu/pass/passes.h"

namespace redflag::pass {
namespace {

constexpr const char* kPrefixes[] = {"MPI_", "PMPI_", "MPIX_", "shmem_", "pshmem_", "shmemx_"};

bool is_named_in_reports(const llvm::CallBase& call) {
  const llvm::Function* callee = call.getCalledFunction();
  return callee != nullptr && llvm::any_of(kPrefixes, [&](const char* prefix) {
           return callee->getName().starts_with(prefix);
         });
}

}  // namespace

llvm::PreservedAnalyses Apart::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  for (llvm::Instruction& each : llvm::instructions(function)) {
    auto* const call = llvm::dyn_cast<llvm::CallBase>(&each);
    if (call != nullptr && is_named_in_reports(*call)) call->addFnAttr(llvm::Attribute::NoMerge);
  }
  return llvm::PreservedAnalyses::all();
}

}  // namespace redflag::pass
