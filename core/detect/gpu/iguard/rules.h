// iGUARD's rules: table 2 of SOSP'21, P1 to P6 and R1 to R5, one row each, and what becomes of the
// entry.
//
// Evaluated in the order of the rows; the first that holds decides. A load is compared with the
// last writer, a store or atomic with the last accessor (`md` in the table; `mm` is the entry, `sm`
// the counters). `reading` has what the table leaves open and how it is read here. Flags: section
// 6.2 sets BlkShared and DevShared at loads and never says when they are cleared. Here a store that
// does not race takes the location over, a declared race begins anew, and a reader makes the
// location shared only if the reader before it has neither met it at a barrier nor fenced since:
// otherwise a critical section of a second warp would race with itself.
#pragma once

#include <array>
#include <cstdint>

#include "core/detect/gpu/iguard/entry.h"
#include "core/detect/gpu/portable.h"
#include "core/detect/gpu/rule_table.h"

namespace redflag::gpu::iguard {

enum class Rule : std::uint8_t {
  kFirstAccess,
  kNoWrite,
  kProgramOrder,
  kWarpSynced,
  kBarrier,
  kSafeAtomic,
  kScopedAtomic,
  kIntraWarp,
  kIntraBlock,
  kInterBlock,
  kMissingLock,
  kOrdered,
};
inline constexpr std::size_t kRuleCount = 12;

inline constexpr std::array<RuleRow<Rule>, kRuleCount> kRules{{
    {Rule::kFirstAccess, RuleKind::kSafe, "P1", "first access", "mm.Valid == false", ""},
    {Rule::kNoWrite, RuleKind::kSafe, "P2", "no write access",
     "mm.Modified == false AND curr.Type == LOAD", ""},
    {Rule::kProgramOrder, RuleKind::kSafe, "P3", "program order access",
     "!md.DevShared AND !md.BlkShared AND curr.ThreadID == md.ThreadID",
     "a last writer is never shared: the flags are asked for stores only"},
    {Rule::kWarpSynced, RuleKind::kSafe, "P4", "warp-synced access",
     "!md.DevShared AND !md.BlkShared AND curr.WarpID == md.WarpID AND (md.WarpBarID != "
     "sm.WarpBarID OR curr.ActiveMask contains md.ThreadID)",
     "flags as in P3"},
    {Rule::kBarrier, RuleKind::kSafe, "P5", "barrier access",
     "!md.DevShared AND md.BlockID == curr.BlockID AND md.BlkBarID != sm.BlkBarID",
     "flags as in P3"},
    {Rule::kSafeAtomic, RuleKind::kSafe, "P6", "safe atomic access",
     "mm.Atomic AND curr.Atomic AND (md.BlockID == curr.BlockID OR mm.Scope == DEVICE)",
     "Atomic and Scope are those of the last access, as in ScoRD"},
    {Rule::kScopedAtomic, RuleKind::kRacy, "R1", "scoped-atomic race",
     "mm.Atomic AND mm.Scope == BLOCK AND mm.LastWriter.BlockID != curr.BlockID",
     "text: for stores the last accessor"},
    {Rule::kIntraWarp, RuleKind::kRacy, "R2", "intra-warp race",
     "md.WarpID == curr.WarpID AND md.DevFenceID == sm.DevFenceID AND md.BlkFenceID == "
     "sm.BlkFenceID AND !mm.DevShared AND !mm.BlkShared AND md.BlockID == curr.BlockID",
     "sm is that of the thread in md, here and below, as in ScoRD's fence file"},
    {Rule::kIntraBlock, RuleKind::kRacy, "R3", "intra-block race",
     "md.DevFenceID == sm.DevFenceID AND md.BlkFenceID == sm.BlkFenceID AND !mm.DevShared",
     "text: of a single block"},
    {Rule::kInterBlock, RuleKind::kRacy, "R4", "inter-block race",
     "md.BlockID != curr.BlockID AND md.DevFenceID == sm.DevFenceID", ""},
    {Rule::kMissingLock, RuleKind::kRacy, "R5", "missing lock race",
     "(mm.Locks != EMPTY OR sm.Locks != EMPTY) AND (md.Locks BITWISE_AND sm.Locks) == 0", ""},
    {Rule::kOrdered, RuleKind::kSilent, "", "ordered", "", "neither P nor R holds"},
}};
static_assert(in_order(kRules));

// The access that a new one is compared with.
struct Last {
  std::uint32_t warp = 0, lane = 0;
  Counters counters;  // as they were then
};
REDFLAG_HD constexpr Last last_writer(const Entry& mm) {
  const Writer& w = mm.writer;
  return {
      static_cast<std::uint32_t>(w.warp),
      static_cast<std::uint32_t>(w.lane),
      {static_cast<std::uint32_t>(w.device_fence), static_cast<std::uint32_t>(w.block_fence),
       static_cast<std::uint32_t>(w.block_barrier), static_cast<std::uint32_t>(w.warp_barrier)}};
}
REDFLAG_HD constexpr Last last_accessor(const Entry& mm) {
  const Accessor& a = mm.accessor;
  return {
      static_cast<std::uint32_t>(a.warp),
      static_cast<std::uint32_t>(a.lane),
      {static_cast<std::uint32_t>(a.device_fence), static_cast<std::uint32_t>(a.block_fence),
       static_cast<std::uint32_t>(a.block_barrier), static_cast<std::uint32_t>(a.warp_barrier)}};
}
REDFLAG_HD constexpr Last compared(const Entry& mm, const Access& now) {
  return now.kind == AccessKind::kLoad ? last_writer(mm) : last_accessor(mm);
}

// `sm` has the fences that the thread of `md` has executed by now.
REDFLAG_HD_INLINE constexpr bool holds(Rule rule, const Entry& mm, const Last& md,
                                       const Access& now, const Counters& sm) {
  const Writer& flags = mm.writer;
  const bool load = now.kind == AccessKind::kLoad;
  const bool shared = !load && (flags.device_shared || flags.block_shared);
  const bool same_warp = md.warp == now.warp;
  const bool same_block = same_warp || md.warp / now.block_warps == now.warp / now.block_warps;
  const bool same_device_fence = md.counters.device_fence == sm.device_fence;
  const bool no_fence = same_device_fence && md.counters.block_fence == sm.block_fence;
  switch (rule) {
    case Rule::kFirstAccess:
      return !flags.valid;
    case Rule::kNoWrite:
      return !flags.modified && load;
    case Rule::kProgramOrder:
      return !shared && same_warp && md.lane == now.lane;
    case Rule::kWarpSynced:
      return !shared && same_warp &&
             (md.counters.warp_barrier != now.counters.warp_barrier ||
              (now.active >> md.lane & 1) != 0);
    case Rule::kBarrier:
      return (load || !flags.device_shared) && same_block &&
             md.counters.block_barrier != now.counters.block_barrier;
    case Rule::kSafeAtomic:
      return flags.is_atomic && now.is_atomic && (same_block || !flags.block_scope);
    case Rule::kScopedAtomic:
      return flags.is_atomic && flags.block_scope && !same_block;
    case Rule::kIntraWarp:
      return same_warp && no_fence && !flags.device_shared && !flags.block_shared;
    case Rule::kIntraBlock:
      return same_block && no_fence && !flags.device_shared;
    case Rule::kInterBlock:
      return !same_block && same_device_fence;
    case Rule::kMissingLock:
      return (mm.locks() != 0 || now.locks != 0) && (mm.locks() & now.locks) == 0;
    case Rule::kOrdered:
      break;
  }
  return true;
}

// Rule after rule, as straight code.
template <unsigned First = 0>
REDFLAG_HD_INLINE constexpr Rule first_of(const Entry& mm, const Last& md, const Access& now,
                                          const Counters& sm) {
  if constexpr (First + 1 < kRuleCount) {
    if (holds(static_cast<Rule>(First), mm, md, now, sm)) return static_cast<Rule>(First);
    return first_of<First + 1>(mm, md, now, sm);
  } else {
    return Rule::kOrdered;
  }
}
REDFLAG_HD_INLINE constexpr Rule decide(const Entry& mm, const Access& now, const Counters& sm) {
  return first_of(mm, compared(mm, now), now, sm);
}

REDFLAG_HD constexpr bool is_race(Rule rule) {
  return rule >= Rule::kScopedAtomic && rule <= Rule::kMissingLock;
}

// Writes who accesses into a half of the entry; its flags, locks and tag stay.
template <typename Half>
REDFLAG_HD constexpr void put(Half& half, const Access& now) {
  half.warp_barrier = now.counters.warp_barrier & ((1U << kWarpBarrierBits) - 1);
  half.block_barrier = now.counters.block_barrier & ((1U << kBlockBarrierBits) - 1);
  half.block_fence = now.counters.block_fence & ((1U << kFenceBits) - 1);
  half.device_fence = now.counters.device_fence & ((1U << kFenceBits) - 1);
  half.lane = now.lane & ((1U << kLaneBits) - 1);
  half.warp = now.warp & ((1U << kWarpBits) - 1);
}

// The entry behind an access that `rule` decided on. `reader` has the fences that the last
// accessor's thread has executed by now.
REDFLAG_HD constexpr Entry updated(const Entry& mm, const Access& now, const Counters& reader,
                                   Rule rule) {
  Entry next = mm;
  Writer& flags = next.writer;
  const bool store = now.kind == AccessKind::kStore;
  if (rule == Rule::kFirstAccess || is_race(rule)) {
    flags.valid = 1;
    flags.modified = 0;
    flags.block_shared = flags.device_shared = 0;
  } else if (store) {
    flags.block_shared = flags.device_shared = 0;
  } else {
    const Last before = last_accessor(mm);
    const bool same_block =
        before.warp == now.warp || before.warp / now.block_warps == now.warp / now.block_warps;
    const bool met = same_block && before.counters.block_barrier != now.counters.block_barrier;
    const bool device_fenced = before.counters.device_fence != reader.device_fence;
    const bool fenced = device_fenced || before.counters.block_fence != reader.block_fence;
    if (met) flags.block_shared = 0;
    if (!same_block && !device_fenced) flags.device_shared = 1;
    if (same_block && before.warp != now.warp && !met && !fenced) flags.block_shared = 1;
  }
  if (store) {
    flags.modified = 1;
    put(next.writer, now);
  }
  put(next.accessor, now);
  // An atomic load, which the paper does not know, leaves what is known of an atomic writer.
  if (store || !now.is_atomic || !flags.modified) {
    flags.is_atomic = now.is_atomic ? 1 : 0;
    flags.block_scope = now.is_atomic && now.block_scope ? 1 : 0;
  }
  next.set_locks(now.locks);
  return next;
}

}  // namespace redflag::gpu::iguard
