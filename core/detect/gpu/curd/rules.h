// CURD's checks as a table: what decided, how often, and where the dissertation has it.
//
// Not conditions over an entry, as those of ScoRD and iGUARD: each row is an outcome of one of the
// algorithm's parts. kSafe rows end a check without a race, kRacy rows declare one, kSilent rows
// only count.
#pragma once

#include <array>
#include <cstdint>

#include "core/detect/gpu/curd/region_set.h"
#include "core/detect/gpu/rule_table.h"

namespace redflag::gpu::curd {

enum class Rule : std::uint8_t {
  kChosen,
  kNotChosen,
  kInsertedLast,
  kInsertedCached,
  kInsertedNew,
  kSortedSet,
  kUnsortedSet,
  kNoWrites,
  kOptimistic,
  kOwnAccesses,
  kReadWrite,
  kTriangular,
  kWriteWrite,
  kAtomicPlain,
  kLazyReadWrite,
  kLazyWriteWrite,
  kAlreadyChecked,
  kEagerReads,
  kEagerEarlierReads,
  kEagerWrites,
  kIncomplete,
};
inline constexpr std::size_t kRuleCount = 21;

inline constexpr std::array<RuleRow<Rule>, kRuleCount> kRules{{
    {Rule::kChosen, RuleKind::kSilent, "6.1", "kernels for CURD",
     "no atomic and no fence in the kernel", "choice.h has what else it takes"},
    {Rule::kNotChosen, RuleKind::kSilent, "6.1", "kernels for the other detector",
     "an atomic or fence in the kernel", "also where nothing is known of the kernel"},
    {Rule::kInsertedLast, RuleKind::kSilent, "6.2", "merged into the last region",
     "each search starts from the last element", ""},
    {Rule::kInsertedCached, RuleKind::kSilent, "6.2", "merged into a cached region",
     "only a bounded number of elements are examined", "the merged region moves to the end"},
    {Rule::kInsertedNew, RuleKind::kSilent, "6.2", "region added",
     "disjoint and non-adjacent to all that are examined", ""},
    {Rule::kSortedSet, RuleKind::kSilent, "6.1.2", "compressed sets sorted",
     "the ordering bitmap has all bits", ""},
    {Rule::kUnsortedSet, RuleKind::kSilent, "6.1.2", "compressed sets not sorted",
     "the ordering bitmap lacks a bit", "write sets are sorted then, read sets searched for"},
    {Rule::kNoWrites, RuleKind::kSafe, "6.1.2", "nothing written", "CWS(b) = {}", ""},
    {Rule::kOptimistic, RuleKind::kSafe, "6.1.2", "optimistic read-write test",
     "CRS(b) & CWS(b) = {}", ""},
    {Rule::kOwnAccesses, RuleKind::kSafe, "6.1.2", "threads met only themselves",
     "TRS(t) & TWS(u) = {} for t != u", ""},
    {Rule::kReadWrite, RuleKind::kRacy, "6.1.2", "read-write race in a block",
     "TRS(t) & TWS(u) != {}, t != u", "rows of lanes that met at a warp sync are in order"},
    {Rule::kTriangular, RuleKind::kSafe, "6.1.2", "triangular write-write test",
     "TWS(t) & TWS(u) = {} for t < u", "over sorted runs: each with those behind it"},
    {Rule::kWriteWrite, RuleKind::kRacy, "6.1.2", "write-write race in a block",
     "TWS(t) & TWS(u) != {}, t < u", ""},
    {Rule::kAtomicPlain, RuleKind::kRacy, "", "atomic and plain access", "",
     "atomics have sets of their own: not in the dissertation"},
    {Rule::kLazyReadWrite, RuleKind::kRacy, "6.1.3", "read-write race of blocks, at the end",
     "BRS(b) & BWS(c) != {}, b != c", ""},
    {Rule::kLazyWriteWrite, RuleKind::kRacy, "6.1.3", "write-write race of blocks, at the end",
     "BWS(b) & BWS(c) != {}, b != c", ""},
    {Rule::kAlreadyChecked, RuleKind::kSafe, "6.1.3", "subsets already checked",
     "alreadyChecked[c] = |BWS(c)|", ""},
    {Rule::kEagerReads, RuleKind::kRacy, "6.1.3 step 1", "reads since the barrier",
     "BRS(b)[-1] & BWS(c) != {}", ""},
    {Rule::kEagerEarlierReads, RuleKind::kRacy, "6.1.3 step 2", "earlier reads",
     "BRS(b)[0:-1] & BWS(c)[k:] != {}", ""},
    {Rule::kEagerWrites, RuleKind::kRacy, "6.1.3 step 3", "writes since the barrier",
     "BWS(b)[-1] & BWS(c) != {}", ""},
    {Rule::kIncomplete, RuleKind::kSilent, "6.2", "races with an incomplete source",
     "the complete bit of a region is not set", ""},
}};
static_assert(in_order(kRules));

constexpr Rule rule_of(Insertion how) {
  return how == Insertion::kLast     ? Rule::kInsertedLast
         : how == Insertion::kCached ? Rule::kInsertedCached
                                     : Rule::kInsertedNew;
}

using Counts = RuleCounts<Rule, kRuleCount>;

}  // namespace redflag::gpu::curd
