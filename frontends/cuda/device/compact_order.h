// compact: whether something is ordered before an access, and what is told when it is not.
//
// A thread's own past, what the block did before its last barrier, what lanes did before they met or
// are together again now, and what signals brought (compact_signals.h). Races are told once for each
// two sites and kind, with a count. Device code.
#pragma once

#include "core/detect/gpu/compact/rules.h"
#include "frontends/cuda/device/abi.h"
#include "frontends/cuda/device/compact_schedule.h"
#include "frontends/cuda/device/compact_signals.h"

namespace redflag::device::compact {

using gpu::compact::Kind;
using gpu::compact::Word;

// An access of a warp, as one of its lanes sees it.
struct Doing {
  std::uint32_t site = 0;
  std::uint32_t what = 0;    // packed
  std::uint32_t active = 0;  // lanes that do it together
  std::uint32_t warp = 0;    // in its block
  std::uint32_t lane = 0;
  std::uint32_t time = 0;
  std::uint32_t block = 0;  // as wide as in words
};

// Functions that are not inlined get numbers, which stay in registers, and make this of them.
REDFLAG_DEVICE Doing doing_of(std::uint32_t site, std::uint32_t what, std::uint32_t active,
                              std::uint32_t time) {
  Doing doing;
  doing.site = site;
  doing.what = what;
  doing.active = active;
  doing.warp = warp_in_block();
  doing.lane = lane();
  doing.time = time;
  doing.block = static_cast<std::uint32_t>(block().block) & kBlockMask;
  return doing;
}
REDFLAG_DEVICE Doing doing_now(std::uint32_t site, std::uint32_t what) {
  hold_back(site);
  const std::uint32_t active = active_at(site), warp = warp_in_block();
  return doing_of(site, what, active,
                  access_time(block().warps[warp], active, lanes_of_warp(warp)));
}
REDFLAG_DEVICE Epoch now(const Doing& doing) {
  return {doing.block, doing.warp, doing.lane, doing.time};
}

// Of the block itself.
REDFLAG_DEVICE bool is_ordered_here(std::uint32_t warp, std::uint32_t lane, std::uint32_t time,
                                    const Doing& doing) {
  const Warp& w = block().warps[doing.warp];
  if (time < look(w.barrier)) return true;
  if (warp != doing.warp) return false;
  if ((doing.active >> lane & 1) != 0 || time < look(w.meet)) return true;
  const std::uint32_t part = look(w.part_mask);
  return (part >> lane & part >> doing.lane & 1) != 0 && time < look(w.part_time);
}
REDFLAG_SLOW bool is_copy_ordered(std::uint32_t of_block, std::uint32_t of_warp,
                                  std::uint32_t of_lane, std::uint32_t time, std::uint32_t warp,
                                  std::uint32_t active);  // compact_copies.h
// `flags`: kNoSearch, or 0.
REDFLAG_DEVICE bool is_ordered(const Epoch& e, const Doing& doing, std::uint32_t flags = 0) {
  if (e.is_copy) {
    return is_copy_ordered(e.block, e.warp, e.lane, e.time, doing.warp, doing.active);
  }
  if (e.block == doing.block && is_ordered_here(e.warp, e.lane, e.time, doing)) return true;
  return learnt(e, doing.warp, doing.active, flags);
}

// Once for each two sites of a module and kind. Modules number their sites from 1, and each has its own variable.
REDFLAG_SLOW void tell_record(State& s, const RaceRecord& told) {
  constexpr unsigned kModuleAt = 8 + gpu::compact::kSiteBits;
  constexpr std::uint64_t kModules = (std::uint64_t{1} << (40 - kModuleAt)) - 1;
  const Word earlier{told.first};
  const std::uint64_t module = mixed(reinterpret_cast<std::uint64_t>(&redflag_state)) & kModules;
  const std::uint64_t key = std::uint64_t{earlier.site()} << 40 | module << kModuleAt |
                            std::uint64_t{told.site} << 8 | (told.flags & 127) << 1 | 1;
  std::uint32_t at = static_cast<std::uint32_t>(mixed(key)) % kPairs;
  for (std::uint32_t i = 0; i < kPairs; ++i, at = (at + 1) % kPairs) {
    std::uint64_t have = load_relaxed<Reach::kDevice>(&s.pairs[at]);
    if (have == 0) have = compare_swap(&s.pairs[at], std::uint64_t{0}, key);
    if (have == key) {
      atomic_add(&s.pair_counts[at], std::uint64_t{1});
      return;
    }
    if (have == 0) break;
  }
  const std::uint32_t index = atomic_add(&s.race_count, 1U);
  if (index >= kRaces) return;
  RaceRecord& race = s.races[index];
  race.address = told.address;
  race.first = told.first;
  race.block = told.block;
  race.launch = told.launch;
  race.warp = told.warp;
  race.lane = told.lane;
  race.site = told.site;
  race.what = told.what;
  fence<Reach::kSystem>();
  store_relaxed<Reach::kSystem>(&race.flags, told.flags | kComplete);
}
// The thread is in the last ten bits of `flags`: whoever tells may do so for another one.
REDFLAG_SLOW void tell_now(std::uint64_t address, std::uint64_t word, std::uint32_t site,
                           std::uint32_t what, std::uint32_t flags_of_thread) {
  const Block& b = block();
  RaceRecord race{};
  race.address = address;
  race.first = word;
  race.block = b.block;
  race.launch = b.launch;
  race.warp = flags_of_thread >> (kThreadAt + 5);
  race.lane = flags_of_thread >> kThreadAt & 31;
  race.site = site;
  race.what = what;
  race.flags = flags_of_thread & ((1U << kThreadAt) - 1);
  tell_record(state_of(b), race);
}
REDFLAG_DEVICE void tell(const Doing& doing, std::uint64_t address, Word earlier,
                         std::uint32_t flags) {
  tell_now(address, earlier.bits, doing.site, doing.what,
           flags | (doing.warp * 32 + doing.lane) << kThreadAt);
}

}  // namespace redflag::device::compact
