// A plugin for clang-19 with which kernels keep the lines of their accesses, as NVIDIA's compiler
// keeps them.
//
// LLVM merges the stores of two branches into one behind them, and moves loads out of loops; what
// comes out belongs to no line, and a race on it could not be reported. So before LLVM's passes a
// store at the end of a branch is held there by an empty piece of assembly, which stands between it
// and the jump. Behind them, an access that has no line all the same gets that of the first
// instruction that uses what it loaded, or made what it stores; else that of its neighbour. This is
// a guess, and nearly always the same statement. `redflag nvcc` loads the plugin where it was
// built; it changes no computation.
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>

namespace redflag::lines {
namespace {

bool is_store_before_jump(llvm::Instruction& each) {
  if (!llvm::isa<llvm::StoreInst>(each)) return false;
  const llvm::Instruction* next = each.getNextNonDebugInstruction();
  const auto* jump = llvm::dyn_cast_or_null<llvm::BranchInst>(next);
  return jump != nullptr && jump->isUnconditional();
}

struct HoldStores : llvm::PassInfoMixin<HoldStores> {
  static bool isRequired() { return true; }
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
    llvm::SmallVector<llvm::Instruction*, 16> stores;
    for (llvm::BasicBlock& block : function) {
      for (llvm::Instruction& each : block) {
        if (is_store_before_jump(each)) stores.push_back(&each);
      }
    }
    auto* nothing = llvm::FunctionType::get(llvm::Type::getVoidTy(function.getContext()), false);
    for (llvm::Instruction* store : stores) {
      llvm::IRBuilder<> builder(store->getNextNonDebugInstruction());
      llvm::CallInst* held = builder.CreateCall(
          nothing, llvm::InlineAsm::get(nothing, "", "", /*hasSideEffects=*/true));
      // It touches no memory; it stays because it is not said to return.
      held->setDoesNotAccessMemory();
      held->setDoesNotThrow();
    }
    return stores.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
  }
};

bool has_line(const llvm::Instruction& each) {
  return each.getDebugLoc() && each.getDebugLoc().getLine() != 0;
}

// The line of what computes with this one's value, through values that have none themselves.
llvm::DebugLoc line_of_user(const llvm::Instruction& each, int depth = 0) {
  for (const llvm::User* user : each.users()) {
    const auto* by = llvm::dyn_cast<llvm::Instruction>(user);
    if (by == nullptr) continue;
    if (has_line(*by)) return by->getDebugLoc();
    if (depth >= 4) continue;
    if (llvm::DebugLoc found = line_of_user(*by, depth + 1)) return found;
  }
  return {};
}

llvm::DebugLoc line_of_operands(const llvm::Instruction& each) {
  for (const llvm::Value* operand : each.operands()) {
    const auto* from = llvm::dyn_cast<llvm::Instruction>(operand);
    if (from != nullptr && !llvm::isa<llvm::PHINode>(from) && has_line(*from)) {
      return from->getDebugLoc();
    }
  }
  return {};
}

llvm::DebugLoc line_of_neighbour(const llvm::Instruction& each) {
  for (const llvm::Instruction* at = each.getPrevNode(); at != nullptr; at = at->getPrevNode()) {
    if (has_line(*at)) return at->getDebugLoc();
  }
  for (const llvm::Instruction* at = each.getNextNode(); at != nullptr; at = at->getNextNode()) {
    if (has_line(*at)) return at->getDebugLoc();
  }
  return {};
}

struct GiveLines : llvm::PassInfoMixin<GiveLines> {
  static bool isRequired() { return true; }
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
    if (function.getSubprogram() == nullptr) return llvm::PreservedAnalyses::all();
    bool changed = false;
    for (llvm::BasicBlock& block : function) {
      for (llvm::Instruction& each : block) {
        if (!each.mayReadOrWriteMemory() || has_line(each) ||
            llvm::isa<llvm::DbgInfoIntrinsic>(each)) {
          continue;
        }
        llvm::DebugLoc line = line_of_user(each);
        if (!line) line = line_of_operands(each);
        if (!line) line = line_of_neighbour(each);
        if (!line) continue;
        each.setDebugLoc(line);
        changed = true;
      }
    }
    return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
  }
};

void add_passes(llvm::PassBuilder& builder) {
  builder.registerPipelineStartEPCallback(
      [](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
        passes.addPass(llvm::createModuleToFunctionPassAdaptor(HoldStores{}));
      });
  builder.registerOptimizerLastEPCallback(
      [](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
        passes.addPass(llvm::createModuleToFunctionPassAdaptor(GiveLines{}));
      });
}

}  // namespace
}  // namespace redflag::lines

extern "C" __attribute__((visibility("default"))) llvm::PassPluginLibraryInfo
llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "redflag-lines", "1", redflag::lines::add_passes};
}
