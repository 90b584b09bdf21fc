// Spans: which bytes a check is about, as a base and an offset from it.
//
// p, &p->x and &p->y have one base; so what is known of them can be compared. Two bases that are
// different may still be the same address: then nothing is known, and nothing is lost. A base is the
// value that the address is computed from by constants (span_of), or what is left of its closed form
// when the constants are taken away (formula_span_of): the second knows a[i] and a[i + 1] as
// neighbours, but holds only where both are computed in the same iteration.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/DebugInfoMetadata.h>

#include <algorithm>

#include "frontends/cpu/pass/check.h"

namespace redflag::pass {

struct Span {
  const void* base = nullptr;  // a Value, or a SCEV
  std::int64_t begin = 0;
  std::int64_t end = 0;
  bool writes = false;

  friend bool operator==(const Span&, const Span&) = default;
};

inline Span span_of(const Check& check, const llvm::DataLayout& layout) {
  llvm::APInt offset(layout.getIndexTypeSizeInBits(check.address()->getType()), 0);
  const llvm::Value* base =
      check.address()->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true);
  const std::int64_t begin = offset.getSExtValue();
  return {base, begin, begin + static_cast<std::int64_t>(check.size()), check.writes()};
}

// The constant that is added to it, and the rest. Sums hide theirs in what they add up.
inline std::pair<const llvm::SCEV*, std::int64_t> without_constant(
    const llvm::SCEV* formula, llvm::ScalarEvolution& evolution) {
  if (const auto* walk = llvm::dyn_cast<llvm::SCEVAddRecExpr>(formula)) {
    const auto [start, offset] = without_constant(walk->getStart(), evolution);
    if (offset == 0 || !walk->isAffine()) return {formula, 0};
    return {evolution.getAddRecExpr(start, walk->getStepRecurrence(evolution), walk->getLoop(),
                                    llvm::SCEV::FlagAnyWrap),
            offset};
  }
  if (const auto* constant = llvm::dyn_cast<llvm::SCEVConstant>(formula)) {
    return {evolution.getZero(constant->getType()), constant->getAPInt().getSExtValue()};
  }
  const auto* sum = llvm::dyn_cast<llvm::SCEVAddExpr>(formula);
  if (sum == nullptr) return {formula, 0};
  std::int64_t offset = 0;
  llvm::SmallVector<const llvm::SCEV*, 4> parts;
  for (const llvm::SCEV* part : sum->operands()) {
    const auto [rest, constant] = without_constant(part, evolution);
    parts.push_back(rest);
    offset += constant;
  }
  if (offset == 0) return {formula, 0};
  return {evolution.getAddExpr(parts), offset};
}

inline Span formula_span_of(const Check& check, llvm::ScalarEvolution& evolution) {
  const auto [base, begin] = without_constant(evolution.getSCEV(check.address()), evolution);
  return {base, begin, begin + static_cast<std::int64_t>(check.size()), check.writes()};
}

// Whether the spans together have all of `wanted`, each of them as strong: a write stands for a read.
inline bool covers(llvm::ArrayRef<Span> spans, const Span& wanted) {
  llvm::SmallVector<const Span*, 8> of_use;
  for (const Span& each : spans) {
    const bool strong = each.writes || !wanted.writes;
    if (strong && each.base == wanted.base && each.begin < wanted.end && each.end > wanted.begin) {
      of_use.push_back(&each);
    }
  }
  std::sort(of_use.begin(), of_use.end(),
            [](const Span* a, const Span* b) { return a->begin < b->begin; });
  std::int64_t covered = wanted.begin;
  for (const Span* each : of_use) {
    if (each->begin > covered) return false;
    covered = std::max(covered, each->end);
  }
  return covered >= wanted.end;
}

// Would a report of either name the same line of the same function?
inline bool same_line(const llvm::Instruction& a, const llvm::Instruction& b) {
  const llvm::DILocation* const at = a.getDebugLoc();
  const llvm::DILocation* const bt = b.getDebugLoc();
  if (at == nullptr || bt == nullptr) return at == bt;
  return at->getLine() == bt->getLine() && at->getInlinedAt() == bt->getInlinedAt() &&
         at->getScope()->getSubprogram() == bt->getScope()->getSubprogram() &&
         at->getFilename() == bt->getFilename();
}

}  // namespace redflag::pass
