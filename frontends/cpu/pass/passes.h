// The passes, in the order in which they run: what the plugin puts together (plugin.cpp).
//
// The first runs before LLVM's own passes. Each of the others takes the checks that the one before
// left in the IR (check.h) and leaves fewer, wider or cheaper ones; its own file says what it does
// and why no race is lost by it. All are function passes.
#pragma once

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/GlobalIFunc.h>
#include <llvm/IR/PassManager.h>

namespace redflag::pass {

#define REDFLAG_PASS(Name)                                                \
  struct Name : llvm::PassInfoMixin<Name> {                               \
    llvm::PreservedAnalyses run(llvm::Function& function,                 \
                                llvm::FunctionAnalysisManager& analyses); \
    static bool isRequired() {                                            \
      return true;                                                        \
    }                                                                     \
  };

REDFLAG_PASS(Apart)      // apart.cpp: calls that reports name by their line are not merged
REDFLAG_PASS(Count)      // count.cpp: how many instructions are executed
REDFLAG_PASS(Numbers)    // numbers.cpp: mathematical functions write no memory
REDFLAG_PASS(Local)      // local.cpp: none for what never leaves the thread, or never changes
REDFLAG_PASS(Dominated)  // dominated.cpp: none for what another check covers
REDFLAG_PASS(Merge)      // merge.cpp: neighbours as one
REDFLAG_PASS(Loops)      // loops.cpp: one for a whole loop
REDFLAG_PASS(Nests)      // nests.cpp: one for the inner loops of a loop
REDFLAG_PASS(Repeated)   // repeated.cpp: in loops that synchronise, only after they did
REDFLAG_PASS(Sampled)    // sampled.cpp: a second body without checks, for sampling
REDFLAG_PASS(Lower)      // lower.cpp: code for those that are left
#undef REDFLAG_PASS

// instrument.cpp: checks before accesses, the ABI's calls for atomics. Of a vector of which only some
// lanes are used, those; or all of it, as the processor loads it.
enum class Lanes : bool { kUsed, kAll };
// What the user wants of it, as of LLVM's own pass (plugin.cpp).
struct Wanted {
  bool accesses = true;  // of loads and stores
  bool copies = true;    // of memset, memcpy, memmove
  bool atomics = true;
  bool frames = true;
};
struct Instrument : llvm::PassInfoMixin<Instrument> {
  Lanes lanes = Lanes::kUsed;
  Wanted wanted = {};
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

// The constructor that starts the runtime is none of the program's. Resolvers of ifuncs run while
// the program is linked, before there is a runtime.
inline bool is_programs_own(const llvm::Function& function) {
  return !function.hasFnAttribute(llvm::Attribute::DisableSanitizerInstrumentation) &&
         !function.hasFnAttribute(llvm::Attribute::Naked) &&
         !function.getName().starts_with("tsan.module_ctor") &&
         llvm::none_of(function.users(),
                       [](const llvm::User* user) { return llvm::isa<llvm::GlobalIFunc>(user); });
}

// Lower without the inlined comparison: every check a call.
struct LowerToCalls : llvm::PassInfoMixin<LowerToCalls> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

}  // namespace redflag::pass
