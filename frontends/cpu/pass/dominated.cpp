// Dominated: no check where another, equal or stronger, covers the same bytes.
//
// Forwards: on every way to a check its bytes were checked since the last synchronisation. Backwards:
// on every way on from it they will be, before the next, and nothing can keep it from coming there.
// Two dataflow problems over the checks' spans (span.h), solved on the blocks of the function:
//
//   available    at a point: checked on all ways to it          a synchronisation ends it, and so does
//   anticipated  at a point: checked on all ways from it         the place that defines the base
//
// Backwards does not go around loops: what comes in the next iteration may never come.
// Sound (check.h): between the two checks is no synchronisation. A write's check stands for a read's,
// since whatever races with the read races with the write.
#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>

#include <vector>

#include "frontends/cpu/pass/passes.h"
#include "frontends/cpu/pass/span.h"
#include "frontends/cpu/pass/sync.h"

namespace redflag::pass {
namespace {

using llvm::BasicBlock;
using llvm::BitVector;
using llvm::Instruction;

constexpr std::size_t kMostFacts = 4096;  // beyond, the tables would be large: nothing is dropped

class Dataflow {
 public:
  Dataflow(llvm::Function& function, const llvm::DominatorTree& dominators,
           const llvm::TargetLibraryInfo& library)
      : function_(function), dominators_(dominators), library_(library) {}

  bool run() {
    collect();
    if (facts_.empty() || facts_.size() > kMostFacts) return false;
    const bool forwards = drop_available();
    const bool backwards = drop_anticipated();
    return forwards || backwards;
  }

 private:
  // Every different span is a fact, with a bit.
  void collect() {
    for (BasicBlock& block : function_) {
      for (Instruction& each : block) {
        const std::optional<Check> check = Check::of(each);
        if (!check || !check->is_plain()) continue;
        const Span span = span_of(*check, function_.getDataLayout());
        llvm::SmallVector<unsigned, 4>& same_base = facts_of_[span.base];
        const auto* found = llvm::find_if(same_base, [&](unsigned i) { return facts_[i] == span; });
        const unsigned number =
            found != same_base.end() ? *found : static_cast<unsigned>(facts_.size());
        if (found == same_base.end()) {
          same_base.push_back(number);
          facts_.push_back(span);
        }
        number_[&each] = number;
      }
    }
  }

  // The facts at one point, after `each`.
  void pass(const Instruction& each, BitVector& facts, bool backwards) const {
    if (may_synchronise(each, library_) || (backwards && !always_continues(each, library_))) {
      facts.reset();
    }
    if (const auto at = number_.find(&each); at != number_.end()) facts.set(at->second);
    if (const auto at = facts_of_.find(static_cast<const llvm::Value*>(&each));
        at != facts_of_.end()) {
      for (const unsigned i : at->second) facts.reset(i);
    }
  }

  bool has(const BitVector& facts, unsigned wanted) const {
    if (facts.test(wanted)) return true;
    llvm::SmallVector<Span, 8> spans;
    for (const unsigned i : facts_of_.lookup(facts_[wanted].base)) {
      if (facts.test(i)) spans.push_back(facts_[i]);
    }
    return covers(spans, facts_[wanted]);
  }

  BitVector at_begin(const BasicBlock& block,
                     const llvm::DenseMap<const BasicBlock*, BitVector>& out) const {
    BitVector facts(static_cast<unsigned>(facts_.size()), true);
    if (llvm::pred_empty(&block)) facts.reset();
    for (const BasicBlock* before : llvm::predecessors(&block)) {
      if (const auto at = out.find(before); at != out.end()) facts &= at->second;
    }
    return facts;
  }

  bool drop_available() {
    llvm::DenseMap<const BasicBlock*, BitVector> out;
    const llvm::ReversePostOrderTraversal<llvm::Function*> order(&function_);
    for (bool changed = true; changed;) {
      changed = false;
      for (BasicBlock* block : order) {
        BitVector facts = at_begin(*block, out);
        for (const Instruction& each : *block) pass(each, facts, false);
        const auto [at, is_new] = out.try_emplace(block, facts);
        if (!is_new && at->second == facts) continue;
        at->second = std::move(facts);
        changed = true;
      }
    }
    llvm::SmallVector<Instruction*, 16> dropped;
    for (BasicBlock* block : order) {
      BitVector facts = at_begin(*block, out);
      for (Instruction& each : *block) {
        const auto at = number_.find(&each);
        if (at != number_.end() && has(facts, at->second)) dropped.push_back(&each);
        pass(each, facts, false);
      }
    }
    return drop(dropped);
  }

  BitVector at_end(const BasicBlock& block,
                   const llvm::DenseMap<const BasicBlock*, BitVector>& in) const {
    BitVector facts(static_cast<unsigned>(facts_.size()), !llvm::succ_empty(&block));
    for (const BasicBlock* next : llvm::successors(&block)) {
      const auto at = in.find(next);
      if (at == in.end() || dominators_.dominates(next, &block)) {
        facts.reset();
        break;
      }
      facts &= at->second;
    }
    return facts;
  }

  // One turn, successors first: whoever comes later in it is the head of a loop.
  bool drop_anticipated() {
    llvm::DenseMap<const BasicBlock*, BitVector> in;
    llvm::SmallVector<Instruction*, 16> dropped;
    for (BasicBlock* block : llvm::post_order(&function_)) {
      BitVector facts = at_end(*block, in);
      for (Instruction& each : llvm::reverse(*block)) {
        const auto at = number_.find(&each);
        if (at != number_.end() && has(facts, at->second)) dropped.push_back(&each);
        pass(each, facts, true);
      }
      in[block] = std::move(facts);
    }
    return drop(dropped);
  }

  bool drop(llvm::ArrayRef<Instruction*> dropped) {
    for (Instruction* each : dropped) {
      number_.erase(each);
      each->eraseFromParent();
    }
    return !dropped.empty();
  }

  llvm::Function& function_;
  const llvm::DominatorTree& dominators_;
  const llvm::TargetLibraryInfo& library_;
  std::vector<Span> facts_;
  llvm::DenseMap<const void*, llvm::SmallVector<unsigned, 4>> facts_of_;  // by base
  llvm::DenseMap<const Instruction*, unsigned> number_;                   // of a check: its fact
};

}  // namespace

llvm::PreservedAnalyses Dominated::run(llvm::Function& function,
                                       llvm::FunctionAnalysisManager& analyses) {
  Dataflow dataflow(function, analyses.getResult<llvm::DominatorTreeAnalysis>(function),
                    analyses.getResult<llvm::TargetLibraryAnalysis>(function));
  if (!dataflow.run()) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

}  // namespace redflag::pass
