// compact's schedules: warps that are held back at random, so that others come first.
//
// What a run of a GPU shows depends on who is faster; most runs are alike. With a number of a schedule ('redflag run
// --seed', --schedules) some warps sleep at some places in the code, by hash of schedule, block, warp and place:
// another number, other places. A warp is held back kMostHeld times, up to 64 us each. 0: nobody is.
//
// Limits: kernels that synchronise by barriers alone are held back where their blocks begin, and not at accesses; those that tell by
// flat cells not at all. Device code.
#pragma once

#include "frontends/cuda/device/compact_block.h"

namespace redflag::device::compact {

inline constexpr std::uint32_t kMostHeld = 256;

REDFLAG_SLOW void hold_back_now(std::uint32_t schedule, std::uint32_t site) {
  const Block& b = block();
  const std::uint32_t warp = warp_in_block();
  const std::uint64_t key =
      std::uint64_t{schedule} << 45 ^ std::uint64_t{site} << 30 ^ (b.block << 5 | warp);
  const std::uint64_t hash = mixed(mixed(key) + key);
  if ((hash & 3) != 0 || look(b.warps[warp].held) >= kMostHeld) return;
  if (is_first(active_mask())) atomic_add(&block().warps[warp].held, 1U);
  const std::uint32_t about = 1U << (2 * (hash >> 2 & 3));  // us: 1, 4, 16, 64
#pragma unroll 1
  for (std::uint32_t i = 0; i < about; ++i) sleep_ns(1000);
}
// Before something happens at that place. 0: where a block begins.
REDFLAG_DEVICE void hold_back(std::uint32_t site) {
  const std::uint32_t schedule = block().schedule;
  if (schedule != 0) hold_back_now(schedule, site);
}

}  // namespace redflag::device::compact
