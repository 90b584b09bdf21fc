// What a race that ScoRD declares is called, and what its entry knows of the earlier access.
#pragma once

#include "core/detect/gpu/gpu_race.h"
#include "core/detect/gpu/scord/rules.h"

namespace redflag::gpu::scord {

struct Verdict {
  RaceClass kind;
  Enough enough;
};
// By its rule. `block_fenced`: the earlier warp has executed a fence of its block since.
inline Verdict verdict_of(Rule rule, bool same_block, bool block_fenced) {
  switch (rule) {
    case Rule::kScopedAtomic:
      return {RaceClass::kScopedAtomic, Enough::kWiderAtomic};
    case Rule::kLockOnLoad:
    case Rule::kLockOnStore:
      return {RaceClass::kLock, Enough::kSameLock};
    case Rule::kDeviceFence:
      if (block_fenced) return {RaceClass::kScopedFence, Enough::kWiderFence};
      break;
    default:
      break;
  }
  const bool weak = rule == Rule::kNotStrong;
  if (same_block) {
    return {RaceClass::kIntraBlock, weak ? Enough::kStrongAccess : Enough::kBlockBarrier};
  }
  return {RaceClass::kInterBlock, weak ? Enough::kStrongAccess : Enough::kGridOrder};
}

// Class, remedy and first side of a race whose second side is there. `file` is of the warp in `md`.
inline void put_verdict(GpuRace& race, const Entry& md, const Access& now, const Fences& file,
                        Rule rule) {
  const bool same_block = md.block == now.block;
  const Verdict verdict = verdict_of(rule, same_block, md.block_fence != file.block);
  race.kind = verdict.kind;
  race.enough = verdict.enough;
  race.wide_enough = same_block ? Scope::kBlock : Scope::kDevice;
  race.first.block = md.block;
  race.first.thread = static_cast<std::uint32_t>(md.warp) * kWarp;
  race.first.kind = md.is_atomic  ? EventKind::kAtomicRmw
                    : md.modified ? EventKind::kWrite
                                  : EventKind::kRead;
  race.first.scope = md.is_atomic && md.block_scope ? Scope::kBlock : Scope::kDevice;
  race.first.locked = md.locks != 0;
}

}  // namespace redflag::gpu::scord
