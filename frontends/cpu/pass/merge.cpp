// Merge: checks of neighbouring bytes become one.
//
// The fields of a struct, the elements of an unrolled loop: reads, or writes, of one block of code and
// one source line whose bytes touch are checked together, where the first of them stands. So a vector
// of three floats is one comparison, and a loop that was unrolled walks in whole steps again
// (loops.cpp).
//
// Sound (check.h): between the first and the last of them nothing synchronises, and nothing keeps the
// last from being reached. The line that is reported is that of each of them.
#include <llvm/Analysis/TargetLibraryInfo.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "frontends/cpu/pass/passes.h"
#include "frontends/cpu/pass/span.h"
#include "frontends/cpu/pass/sync.h"

namespace redflag::pass {
namespace {

using llvm::Instruction;

constexpr std::int64_t kMostBytes = 4096;

// A check of one stretch, with its place in it.
struct Part {
  Check check;
  Span span;
  std::size_t place;
};

class Merger {
 public:
  explicit Merger(llvm::ScalarEvolution& evolution) : evolution_(evolution) {}

  bool run(llvm::BasicBlock& block, const llvm::TargetLibraryInfo& library) {
    bool changed = false;
    for (Instruction& each : block) {
      if (may_synchronise(each, library) || !always_continues(each, library)) {
        changed |= end_stretch();
        continue;
      }
      const std::optional<Check> check = Check::of(each);
      if (!check || !check->is_plain()) continue;
      parts_.push_back({*check, formula_span_of(*check, evolution_), parts_.size()});
    }
    return end_stretch() || changed;
  }

 private:
  bool end_stretch() {
    std::sort(parts_.begin(), parts_.end(), [](const Part& a, const Part& b) {
      if (a.span.base != b.span.base) return a.span.base < b.span.base;
      if (a.span.writes != b.span.writes) return b.span.writes;
      return std::tie(a.span.begin, a.place) < std::tie(b.span.begin, b.place);
    });
    bool changed = false;
    for (std::size_t i = 0; i < parts_.size();) {
      std::size_t end = i + 1;
      Span whole = parts_[i].span;
      while (end < parts_.size() && goes_on(whole, parts_[i], parts_[end])) {
        whole.end = std::max(whole.end, parts_[end++].span.end);
      }
      if (end - i > 1) {
        merge({parts_.data() + i, end - i}, whole);
        changed = true;
      }
      i = end;
    }
    parts_.clear();
    return changed;
  }

  static bool goes_on(const Span& whole, const Part& first, const Part& next) {
    return next.span.base == whole.base && next.span.writes == whole.writes &&
           next.span.begin <= whole.end && next.span.end - whole.begin <= kMostBytes &&
           same_line(first.check.call(), next.check.call());
  }

  void merge(llvm::ArrayRef<Part> parts, const Span& whole) {
    const auto* earliest = std::min_element(
        parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.place < b.place; });
    llvm::IRBuilder<> builder(&earliest->check.call());
    const std::int64_t before = earliest->span.begin - whole.begin;
    llvm::Value* const address =
        before == 0 ? earliest->check.address()
                    : builder.CreateConstGEP1_64(builder.getInt8Ty(), earliest->check.address(),
                                                 static_cast<std::uint64_t>(-before));
    Check::create(builder, address, parts.front().check.align(),
                  static_cast<std::uint64_t>(whole.end - whole.begin), parts.front().check.kind());
    for (const Part& each : parts) each.check.erase();
  }

  llvm::ScalarEvolution& evolution_;
  std::vector<Part> parts_;
};

}  // namespace

llvm::PreservedAnalyses Merge::run(llvm::Function& function,
                                   llvm::FunctionAnalysisManager& analyses) {
  const auto& library = analyses.getResult<llvm::TargetLibraryAnalysis>(function);
  Merger merger(analyses.getResult<llvm::ScalarEvolutionAnalysis>(function));
  bool changed = false;
  for (llvm::BasicBlock& block : function) changed |= merger.run(block, library);
  if (!changed) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

}  // namespace redflag::pass
