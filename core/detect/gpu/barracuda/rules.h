// Barracuda's rules: figures 5.4 and 5.5 of the dissertation, one row each, and what fails where none
// of them holds.
//
// The figures say when an operation may go on; a race is an operation to which no row applies. Which
// row it would have been depends on the operation, the atomic bit of W_x and whether R_x is an epoch;
// what has to be ordered before, on the row. Both are functions here, and the shadow (accesses.h)
// does nothing else. Conditions are the figures'; "=>" separates what becomes of the state.
// `reading` has what the text adds, or what is done so that nothing is lost that the figures forget.
#pragma once

#include <array>
#include <cstdint>

#include "core/detect/gpu/portable.h"
#include "core/detect/gpu/rule_table.h"

namespace redflag::gpu::barracuda {

enum class Rule : std::uint8_t {
  kReadShared,
  kReadExclusive,
  kReadInflate,
  kWriteExclusive,
  kWriteShared,
  kEndInstruction,
  kIf,
  kElseEndif,
  kBarrier,
  kInitAtomExclusive,
  kInitAtomShared,
  kAtomExclusive,
  kAtomShared,
  kAtomRead,
  kAcquireBlock,
  kReleaseBlock,
  kAcquireReleaseBlock,
  kAcquireGlobal,
  kReleaseGlobal,
  kAcquireReleaseGlobal,
  kSameValue,
  kRaceWithWrite,
  kRaceWithRead,
  kRaceInInstruction,
  kBarrierDivergence,
};
inline constexpr std::size_t kRuleCount = 25;

inline constexpr std::array<RuleRow<Rule>, kRuleCount> kRules{{
    {Rule::kReadShared, RuleKind::kSafe, "5.4", "READSHARED",
     "R_x in VectorClock, W_x <= C_t => R_x[t := C_t(t)]",
     "a reader that is ordered behind others takes their place"},
    {Rule::kReadExclusive, RuleKind::kSafe, "5.4", "READEXCL",
     "R_x in Epoch, R_x <= C_t, W_x <= C_t => R_x := E(t)",
     "an epoch is of one instruction: the lanes that read x together"},
    {Rule::kReadInflate, RuleKind::kSafe, "5.4", "READINFLATE",
     "R_x in Epoch, W_x <= C_t, R_x = clock@t' => R_x := [t := C_t(t), t' := clock]", ""},
    {Rule::kWriteExclusive, RuleKind::kSafe, "5.4", "WRITEEXCL",
     "R_x in Epoch, W_x <= C_t, R_x <= C_t => R_x := 0, W_x := (E(t), false)", ""},
    {Rule::kWriteShared, RuleKind::kSafe, "5.4", "WRITESHARED",
     "R_x in VectorClock, W_x <= C_t, R_x <= C_t => R_x := 0, W_x := (E(t), false)", ""},
    {Rule::kEndInstruction, RuleKind::kSafe, "5.4", "ENDINSN",
     "=> all active t: C_t := incr_t(join of C over active lanes)",
     "done when the warp's next instruction begins; active are the lanes on the same path"},
    {Rule::kIf, RuleKind::kSafe, "5.4", "IF",
     "=> K_w.push(else), K_w.push(then), then-lanes: join and incr",
     "the lanes of both paths know what was before the branch"},
    {Rule::kElseEndif, RuleKind::kSafe, "5.4", "ELSEENDIF",
     "=> K_w.pop(), lanes that are active now: join and incr",
     "else: with the first instruction of that path; fi: when lanes go on together"},
    {Rule::kBarrier, RuleKind::kSafe, "5.5", "BAR",
     "all t in b active => all t in b: C_t := incr_t(join of C over b)",
     "barriers for a part of a block join those who take part"},
    {Rule::kInitAtomExclusive, RuleKind::kSafe, "5.5", "INITATOMEXCL",
     "W_x = (_, false), R_x in Epoch, W_x <= C_t, R_x <= C_t => R_x := 0, W_x := (E(t), true)",
     "reads and the plain write stay known: another atomic, ordered behind none of them, races "
     "with them and not with this one"},
    {Rule::kInitAtomShared, RuleKind::kSafe, "5.5", "INITATOMSHRD",
     "W_x = (_, false), R_x in VectorClock, W_x <= C_t, R_x <= C_t => R_x := 0, W_x := (E(t), "
     "true)",
     "as INITATOMEXCL"},
    {Rule::kAtomExclusive, RuleKind::kSafe, "5.5", "ATOMEXCL",
     "W_x = (_, true), R_x in Epoch, R_x <= C_t => R_x := 0, W_x := (E(t), true)",
     "compared with the plain write before, if one is known. An atomic whose result is used stands "
     "for the atomic writes before it; stores and reductions do not: those stay known beside"},
    {Rule::kAtomShared, RuleKind::kSafe, "5.5", "ATOMSHARED",
     "W_x = (_, true), R_x in VectorClock, R_x <= C_t => R_x := 0, W_x := (E(t), true)",
     "as ATOMEXCL"},
    {Rule::kAtomRead, RuleKind::kSafe, "", "atomic read", "",
     "of newer PTX: ld.relaxed, and a compare-and-swap that failed; compared with plain writes, "
     "known beside R_x for plain writes that follow"},
    {Rule::kAcquireBlock, RuleKind::kSafe, "5.5", "ACQBLOCK", "=> C_t := C_t join S_x[block(t)]",
     ""},
    {Rule::kReleaseBlock, RuleKind::kSafe, "5.5", "RELBLOCK",
     "=> S_x[block(t)] := C_t, C_t := incr_t(C_t)",
     "a store ends what was released at x before, in all blocks: nobody can read it any more; a "
     "read-modify-write adds to it"},
    {Rule::kAcquireReleaseBlock, RuleKind::kSafe, "5.5", "ACQRELBLK",
     "=> C_t := C_t join S_x[block(t)], S_x[block(t)] := C_t, C_t := incr_t(C_t)", ""},
    {Rule::kAcquireGlobal, RuleKind::kSafe, "5.5", "ACQGLOBAL",
     "=> C_t := C_t join (join of S_x over blocks)", ""},
    {Rule::kReleaseGlobal, RuleKind::kSafe, "5.5", "RELGLOBAL",
     "=> all b: S_x[b] := C_t, C_t := incr_t(C_t)", "as RELBLOCK"},
    {Rule::kAcquireReleaseGlobal, RuleKind::kSafe, "", "ACQRELGLB", "",
     "not in the figure; the text has arGlb: ACQGLOBAL, then RELGLOBAL"},
    {Rule::kSameValue, RuleKind::kSafe, "", "same value", "",
     "text: lanes of one instruction that all write the same value to x do not race"},
    {Rule::kRaceWithWrite, RuleKind::kRacy, "", "race with a write", "not W_x <= C_t", ""},
    {Rule::kRaceWithRead, RuleKind::kRacy, "", "race with a read", "not R_x <= C_t", ""},
    {Rule::kRaceInInstruction, RuleKind::kRacy, "", "intra-warp race", "",
     "text: lanes of one instruction write different values to x"},
    {Rule::kBarrierDivergence, RuleKind::kRacy, "", "barrier divergence", "not all t in b active",
     "a part of a warp, or two barriers in one round"},
}};
static_assert(in_order(kRules));

enum class Access : std::uint8_t { kRead, kWrite, kAtomicRead, kAtomicWrite };

struct RxWx {            // what a rule asks of the location
  bool atomic = false;   // W_x = (_, true)
  bool shared = false;   // R_x in VectorClock
  bool ordered = false;  // R_x <= C_t: asked for a read of an epoch only
};

REDFLAG_HD constexpr Rule rule_of(Access access, const RxWx& x) {
  switch (access) {
    case Access::kRead:
      if (x.shared) return Rule::kReadShared;
      return x.ordered ? Rule::kReadExclusive : Rule::kReadInflate;
    case Access::kWrite:
      return x.shared ? Rule::kWriteShared : Rule::kWriteExclusive;
    case Access::kAtomicWrite:
      if (x.atomic) return x.shared ? Rule::kAtomShared : Rule::kAtomExclusive;
      return x.shared ? Rule::kInitAtomShared : Rule::kInitAtomExclusive;
    case Access::kAtomicRead:
      break;
  }
  return Rule::kAtomRead;
}

// Do the two conflict: must the earlier be ordered before the later?
REDFLAG_HD constexpr bool conflict(Access earlier, Access later) {
  const bool write = earlier == Access::kWrite || later == Access::kWrite;
  if (write) return true;
  const bool atomic_write = earlier == Access::kAtomicWrite || later == Access::kAtomicWrite;
  const bool plain_read = earlier == Access::kRead || later == Access::kRead;
  return atomic_write && plain_read;
}

// May the later stand for the earlier, which is ordered before it: does all that conflicts with the
// earlier conflict with the later too?
REDFLAG_HD constexpr bool stands_for(Access later, Access earlier) {
  switch (later) {
    case Access::kRead:
      return earlier == Access::kRead || earlier == Access::kAtomicRead;
    case Access::kAtomicRead:
      return earlier == Access::kAtomicRead;
    case Access::kAtomicWrite:
      return earlier == Access::kAtomicWrite || earlier == Access::kAtomicRead;
    case Access::kWrite:
      break;
  }
  return true;
}

}  // namespace redflag::gpu::barracuda
