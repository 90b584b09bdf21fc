// Repeated: in a loop that may synchronise, a check of one place only after it did.
//
// Where a loop takes a lock now and then, nothing can leave it (loops.cpp). But a check of an address
// that does not change in the loop says nothing new until the thread has synchronised: the runtime
// counts how often it did (abi.h), the function remembers the count at its last check of these bytes,
// and asks only when it is another. Checks of the same bytes in the loop share what is remembered.
//
// Sound (check.h): an equal count means no synchronisation since a check of the same bytes, as strong.
// The count is forgotten where the address is computed anew.
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include <map>
#include <tuple>

#include "frontends/cpu/abi/abi.h"
#include "frontends/cpu/pass/check.h"
#include "frontends/cpu/pass/frames.h"
#include "frontends/cpu/pass/passes.h"
#include "frontends/cpu/pass/sync.h"

namespace redflag::pass {
namespace {

using llvm::IRBuilder;
using llvm::Value;

constexpr std::size_t kMostPlaces =
    24;  // remembered in a function: each takes a register, or a slot

class Repetition {
 public:
  Repetition(llvm::Function& function, const llvm::LoopInfo& loops,
             const llvm::TargetLibraryInfo& library)
      : function_(function), loops_(loops), library_(library) {}

  bool run() {
    llvm::SmallVector<Check, 16> checks;
    for (const llvm::Loop* loop : loops_.getLoopsInPreorder()) {
      if (!synchronises(*loop)) continue;
      for (llvm::BasicBlock* block : loop->blocks()) {
        for (llvm::Instruction& each : *block) {
          const std::optional<Check> check = Check::of(each);
          if (!check || !check->is_plain() || !loop->isLoopInvariant(check->address())) continue;
          if (seen_.insert(&each).second) checks.push_back(*check);
        }
      }
    }
    for (const Check& each : checks) guard(each);
    if (places_.empty()) return false;
    llvm::DominatorTree dominators(function_);
    llvm::SmallVector<llvm::AllocaInst*, 16> slots;
    for (const auto& [key, slot] : places_) slots.push_back(slot);
    llvm::PromoteMemToReg(slots, dominators);
    return true;
  }

 private:
  bool synchronises(const llvm::Loop& loop) const {
    return llvm::any_of(loop.blocks(), [&](const llvm::BasicBlock* block) {
      return llvm::any_of(
          *block, [&](const llvm::Instruction& each) { return may_synchronise(each, library_); });
    });
  }

  void guard(const Check& check) {
    llvm::AllocaInst* const slot = place_of(check);
    if (slot == nullptr) return;
    IRBuilder<> builder(&check.call());
    llvm::Type* const i64 = builder.getInt64Ty();
    Value* const now = builder.CreateLoad(
        i64, builder.CreateLoad(builder.getPtrTy(), hot_field(builder, abi::kHotChanges)));
    Value* const changed = builder.CreateICmpNE(now, builder.CreateLoad(i64, slot));
    llvm::Instruction* const end = llvm::SplitBlockAndInsertIfThen(
        changed, check.call().getIterator(), false,
        llvm::MDBuilder(function_.getContext()).createBranchWeights(1, 8));
    check.call().moveBefore(end);
    builder.SetInsertPoint(end);
    builder.CreateStore(now, slot);
  }

  // What is remembered of these bytes.
  llvm::AllocaInst* place_of(const Check& check) {
    const auto key = std::make_tuple(check.address(), check.size(), check.kind());
    const auto found = places_.find(key);
    if (found != places_.end()) return found->second;
    if (places_.size() == kMostPlaces) return nullptr;
    llvm::BasicBlock& entry = function_.getEntryBlock();
    IRBuilder<> builder(&entry, entry.begin());
    llvm::AllocaInst* const slot =
        builder.CreateAlloca(builder.getInt64Ty(), nullptr, "redflag.seen");
    Value* const never = builder.getInt64(~std::uint64_t{0});
    if (auto* computed = llvm::dyn_cast<llvm::Instruction>(check.address())) {
      const auto after = computed->getInsertionPointAfterDef();
      if (!after) return nullptr;
      builder.SetInsertPoint(computed->getParent(), *after);
    }
    builder.CreateStore(never, slot);
    places_.emplace(key, slot);
    return slot;
  }

  llvm::Function& function_;
  const llvm::LoopInfo& loops_;
  const llvm::TargetLibraryInfo& library_;
  llvm::SmallPtrSet<const llvm::Instruction*, 32> seen_;
  std::map<std::tuple<Value*, std::uint64_t, std::uint32_t>, llvm::AllocaInst*> places_;
};

}  // namespace

llvm::PreservedAnalyses Repeated::run(llvm::Function& function,
                                      llvm::FunctionAnalysisManager& analyses) {
  const auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
  if (loops.empty()) return llvm::PreservedAnalyses::all();
  const auto& library = analyses.getResult<llvm::TargetLibraryAnalysis>(function);
  return Repetition(function, loops, library).run() ? llvm::PreservedAnalyses::none()
                                                    : llvm::PreservedAnalyses::all();
}

}  // namespace redflag::pass
