#include "frontends/cpu/pass/polled.h"

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

namespace redflag::pass {
namespace {

constexpr std::uint64_t kMostPolled = 8;  // bytes: a flag, a counter, a pointer
constexpr unsigned kMostSteps = 8;        // from the branch to the load

bool may_be_polled(const llvm::LoadInst& load, const llvm::DataLayout& layout) {
  const llvm::TypeSize size = layout.getTypeStoreSize(load.getType());
  return load.isSimple() && !size.isScalable() && size.getFixedValue() <= kMostPolled;
}

bool is_given_nothing(const llvm::CallBase& call) {
  for (const llvm::Use& each : call.args()) {
    if (!llvm::isa<llvm::Constant>(each.get())) return false;
  }
  return true;
}

// Nothing but looking, and passing the time.
bool only_waits(const llvm::Loop& loop) {
  for (const llvm::BasicBlock* block : loop.blocks()) {
    for (const llvm::Instruction& each : *block) {
      if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&each)) {
        if (llvm::isa<llvm::IntrinsicInst>(call) && !call->mayWriteToMemory()) continue;
        if (!is_given_nothing(*call)) return false;
      } else if (each.mayWriteToMemory() && !llvm::isa<llvm::LoadInst>(each)) {
        return false;
      }
    }
  }
  return true;
}

// Is it made of loads and of what does not change in the loop?
bool is_the_same(const llvm::Value* value, const llvm::Loop& loop, unsigned steps) {
  const auto* made = llvm::dyn_cast<llvm::Instruction>(value);
  if (made == nullptr || !loop.contains(made)) return true;
  if (steps == 0 || llvm::isa<llvm::PHINode, llvm::CallBase>(made)) return false;
  for (const llvm::Use& each : made->operands()) {
    if (!is_the_same(each.get(), loop, steps - 1)) return false;
  }
  return true;
}

void collect(const llvm::Value* value, const llvm::Loop& loop, const llvm::DataLayout& layout,
             unsigned steps, PolledLoads& to) {
  const auto* made = llvm::dyn_cast<llvm::Instruction>(value);
  if (made == nullptr || !loop.contains(made) || steps == 0) return;
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(made)) {
    if (may_be_polled(*load, layout)) to.insert(load);
    return;
  }
  for (const llvm::Use& each : made->operands()) {
    collect(each.get(), loop, layout, steps - 1, to);
  }
}

}  // namespace

PolledLoads polled_loads(const llvm::Function& function, const llvm::LoopInfo& loops) {
  PolledLoads found;
  const llvm::DataLayout& layout = function.getDataLayout();
  for (const llvm::Loop* loop : loops.getLoopsInPreorder()) {
    if (!loop->isInnermost() || !only_waits(*loop)) continue;
    llvm::SmallVector<llvm::BasicBlock*, 4> exiting;
    loop->getExitingBlocks(exiting);
    for (const llvm::BasicBlock* block : exiting) {
      const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
      if (branch == nullptr || !branch->isConditional()) continue;
      const llvm::Value* const condition = branch->getCondition();
      if (is_the_same(condition, *loop, kMostSteps)) {
        collect(condition, *loop, layout, kMostSteps, found);
      }
    }
  }
  llvm::SmallPtrSet<const llvm::DILocation*, 4> places;
  for (const llvm::LoadInst* load : found) {
    if (load->getDebugLoc()) places.insert(load->getDebugLoc().get());
  }
  if (places.empty()) return found;
  for (const llvm::Instruction& each : llvm::instructions(function)) {
    const auto* const load = llvm::dyn_cast<llvm::LoadInst>(&each);
    if (load == nullptr || !places.contains(load->getDebugLoc().get())) continue;
    if (may_be_polled(*load, layout)) found.insert(load);
  }
  return found;
}

}  // namespace redflag::pass
