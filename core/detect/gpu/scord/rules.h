// ScoRD's rules: tables III and IV of ISCA'20, one row each, and what becomes of the entry.
//
// Evaluated in the order of the rows; the first that holds decides. The paper's text says more than
// its tables, and leaves some open; `reading` has what was decided here and why. What is not in the
// tables at all: an entry behind a barrier, or behind a declared race, begins anew; a store takes
// the location over; a load that is ordered behind a write takes it over too, and only loads of
// what nobody has written since make it shared. Otherwise the second reader of properly published
// data would be compared with the first one as if that one had written it.
#pragma once

#include <array>
#include <cstdint>

#include "core/detect/gpu/portable.h"
#include "core/detect/gpu/rule_table.h"
#include "core/detect/gpu/scord/entry.h"
#include "core/detect/gpu/scord/locks.h"

namespace redflag::gpu::scord {

enum class Rule : std::uint8_t {
  kInitialisation,
  kProgramOrder,
  kBarrier,
  kScopedAtomic,
  kSafeAtomic,
  kLoadsOnly,
  kBlockFence,
  kDeviceFence,
  kNotStrong,
  kLockOnLoad,
  kLockOnStore,
  kOrdered,
};
inline constexpr std::size_t kRuleCount = 12;

inline constexpr std::array<RuleRow<Rule>, kRuleCount> kRules{{
    {Rule::kInitialisation, RuleKind::kSafe, "III(a)", "initialisation",
     "md.Modified && md.BlkShared && md.DevShared", ""},
    {Rule::kProgramOrder, RuleKind::kSafe, "III(b)", "program order",
     "md.WarpID == WarpID && md.BlockID == BlockID && !md.BlkShared && !md.DevShared", ""},
    {Rule::kBarrier, RuleKind::kSafe, "III(c)", "barrier",
     "BlockID == md.BlockID && BarrierID != md.BarrierID && !md.DevShared", ""},
    {Rule::kScopedAtomic, RuleKind::kRacy, "IV(d)", "scoped atomic",
     "md.IsAtom && md.Scope == BLOCK && md.BlockID != BlockID",
     "before (a) to (c): the text decides on atomics by scope alone; two atomic loads do not "
     "conflict"},
    {Rule::kSafeAtomic, RuleKind::kSafe, "", "both atomic", "",
     "text: \"otherwise, the atomic accesses are race-free\""},
    {Rule::kLoadsOnly, RuleKind::kSafe, "", "loads only", "",
     "text: a load of what is not modified needs no further check"},
    {Rule::kBlockFence, RuleKind::kRacy, "IV(a)", "missing block fence",
     "md.Modified && md.BlockID == BlockID && md.BlkFenceID == fFile.BlkFenceID && md.DevFenceID "
     "== fFile.DevFenceID",
     "text: of another warp, and a store needs no Modified; a barrier includes a block fence "
     "(section III-A)"},
    {Rule::kDeviceFence, RuleKind::kRacy, "IV(b)", "missing device fence",
     "md.Modified && md.BlockID != BlockID && md.DevFenceID == fFile.DevFenceID", ""},
    {Rule::kNotStrong, RuleKind::kRacy, "IV(c)", "not strong access", "!md.Strong OR !Strong",
     "of another warp, behind its fence: a barrier orders weak accesses too"},
    {Rule::kLockOnLoad, RuleKind::kRacy, "IV(e)", "missing common lock on load",
     "md.Modified && intersect_locks().empty()", "text: where one of the two holds a lock"},
    {Rule::kLockOnStore, RuleKind::kRacy, "IV(f)", "missing common lock on store",
     "intersect_locks().empty()",
     "text: where one of the two holds a lock; locksets are of loads and stores, not of atomics"},
    {Rule::kOrdered, RuleKind::kSilent, "", "ordered", "", "no condition holds"},
}};
static_assert(in_order(kRules));

// `file` is the fence file's entry of the warp in `md`.
REDFLAG_HD_INLINE constexpr bool holds(Rule rule, const Entry& md, const Access& now,
                                       const Fences& file) {
  const bool same_block = md.block == now.block;
  const bool other_warp = !same_block || md.warp != now.warp;
  const bool conflict = now.kind != AccessKind::kLoad || md.modified != 0;
  switch (rule) {
    case Rule::kInitialisation:
      return md.modified && md.block_shared && md.device_shared;
    case Rule::kProgramOrder:
      return !other_warp && !md.block_shared && !md.device_shared;
    case Rule::kBarrier:
      return same_block && now.barrier != md.barrier && !md.device_shared;
    case Rule::kScopedAtomic:
      return conflict && md.is_atomic && md.block_scope && !same_block;
    case Rule::kSafeAtomic:
      return md.is_atomic && now.is_atomic;
    case Rule::kLoadsOnly:
      return !conflict;
    case Rule::kBlockFence:
      return same_block && other_warp && md.barrier == now.barrier &&
             md.block_fence == file.block && md.device_fence == file.device;
    case Rule::kDeviceFence:
      return !same_block && md.device_fence == file.device;
    case Rule::kNotStrong:
      return other_warp && !(same_block && md.barrier != now.barrier) &&
             (!md.strong || !now.strong);
    case Rule::kLockOnLoad:
      return now.kind == AccessKind::kLoad && !now.is_atomic && (md.locks != 0 || now.locks != 0) &&
             no_common_lock(static_cast<std::uint32_t>(md.locks), now.locks);
    case Rule::kLockOnStore:
      return now.kind == AccessKind::kStore && !now.is_atomic &&
             (md.locks != 0 || now.locks != 0) &&
             no_common_lock(static_cast<std::uint32_t>(md.locks), now.locks);
    case Rule::kOrdered:
      break;
  }
  return true;
}

// Rule after rule, as straight code.
template <unsigned First = 0>
REDFLAG_HD_INLINE constexpr Rule decide(const Entry& md, const Access& now, const Fences& file) {
  if constexpr (First + 1 < kRuleCount) {
    if (holds(static_cast<Rule>(First), md, now, file)) return static_cast<Rule>(First);
    return decide<First + 1>(md, now, file);
  } else {
    return Rule::kOrdered;
  }
}

REDFLAG_HD constexpr bool is_race(Rule rule) {
  return rule == Rule::kScopedAtomic || (rule >= Rule::kBlockFence && rule <= Rule::kLockOnStore);
}

// The entry behind an access that `rule` decided on. The tag is the caller's.
REDFLAG_HD constexpr Entry updated(const Entry& md, const Access& now, const Fences& file,
                                   Rule rule) {
  Entry next;
  const bool writes = now.kind != AccessKind::kLoad;
  const bool other_warp = md.block != now.block || md.warp != now.warp;
  // Behind a barrier also where program order decided: the warp's own load would hide that barrier.
  const bool anew =
      rule == Rule::kInitialisation || holds(Rule::kBarrier, md, now, file) || is_race(rule);
  const bool takes_over = anew || writes || (other_warp && md.modified);
  next.locks = now.locks & 0xFFFF;
  next.block = now.block & ((1U << kBlockBits) - 1);
  next.warp = now.warp & ((1U << kWarpBits) - 1);
  next.barrier = now.barrier & ((1U << kBarrierBits) - 1);
  next.device_fence = now.fences.device;
  next.block_fence = now.fences.block;
  // A load of the writer itself, behind its fence, would hide that fence: the write counts as
  // published.
  const bool published = md.block_fence != file.block || md.device_fence != file.device;
  next.modified = writes || (!anew && !other_warp && md.modified && !published) ? 1 : 0;
  next.device_shared = !takes_over && (md.device_shared || md.block != now.block) ? 1 : 0;
  next.block_shared = !takes_over && !next.device_shared && (md.block_shared || other_warp) ? 1 : 0;
  next.is_atomic = now.is_atomic ? 1 : 0;
  next.block_scope = now.block_scope ? 1 : 0;
  next.strong = now.strong && (anew || md.strong) ? 1 : 0;
  next.tag = md.tag;
  return next;
}

}  // namespace redflag::gpu::scord
