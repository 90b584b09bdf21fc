// compact: the detector that runs inside the GPU. Its hooks.
//
// Memory is in compact_global.h, compact_lines.h, compact_cells.h and compact_shared.h, what blocks and warps do in compact_block.h, signals in
// compact_signals.h; here events become calls of those. docs/how/compact.md explains the idea.
#include "frontends/cuda/device/compact_copies.h"
#include "frontends/cuda/device/compact_direct.h"
#include "frontends/cuda/device/compact_global.h"
#include "frontends/cuda/device/compact_named.h"
#include "frontends/cuda/device/compact_roots.h"

namespace redflag::device::compact {
namespace {

// Lanes of one generic access may be in different memories.
REDFLAG_DEVICE void check(const Place& place, std::uint32_t bytes, bool writes, bool is_atomic,
                          const Doing& doing) {
  if (!place.is_known || bytes == 0) return;
  if (place.is_shared) {
    if (block().shadow == 0) return;
    if (block().copies != 0) {
      return check_marked(static_cast<std::uint32_t>(place.address),
                          bytes | (writes ? 0x10000U : 0U) | (is_atomic ? 0x20000U : 0U),
                          doing.site, doing.what, doing.active, doing.time);
    }
    return check_shared_bytes(static_cast<std::uint32_t>(place.address), bytes, writes, is_atomic,
                              doing);
  }
  if (block().direct != 0) {
    const std::uint32_t flags = bytes | (writes ? 256U : 0U);
    if (is_atomic) return check_looked_at(first_look(place.address), place.address, flags, doing);
    return check_direct(place.address, flags, doing.site, doing.what, doing.active, doing.time);
  }
  check_global(place.address, bytes, writes, is_atomic, doing);
}

// What special hooks are rarely called for. `flags`: bytes, 256 if it writes.
REDFLAG_SLOW void check_own(std::uint64_t address, std::uint32_t flags, std::uint32_t site,
                            std::uint32_t packed, std::uint32_t active, std::uint32_t time) {
  check(place_of_own(address), flags & 255, (flags & 256) != 0, false,
        doing_of(site, packed, active, time));
}

// Lanes of one instruction that store to one address, and not the same value.
REDFLAG_DEVICE void check_lanes(std::uint64_t address, std::uint64_t value, const What& what,
                                const Doing& doing, const Place& place) {
  const std::uint32_t leader = first(doing.active);
  const std::uint64_t base = address - std::uint64_t{doing.lane - leader} * what.bytes;
  if (all(doing.active, base == shuffle(doing.active, address, leader))) return;
  const std::uint32_t same = match_any(doing.active, address);
  const std::uint32_t writer = first(same);
  const std::uint64_t first_value = shuffle(doing.active, value, writer);
  if (writer == doing.lane || first_value == value || !place.is_known) return;
  const Epoch at{doing.block, doing.warp, writer, doing.time};
  tell(doing, place.address, Word::of(Kind::kPlain, 15, doing.site, at),
       (place.is_shared ? kShared : 0U) | kFirstWrote | kOneInstruction);
}

// Keys of what signals go through: addresses, places in shared memory, barriers with numbers.
REDFLAG_DEVICE std::uint64_t key_of(const Place& place) {
  if (!place.is_shared) return place.address;
  return gpu::shared_address(block().block, place.address);
}
REDFLAG_DEVICE bool is_narrow(Scope scope) {
  return scope == Scope::kBlock || scope == Scope::kWarp;
}
// What comes before is published at once, and what comes behind is later.
REDFLAG_DEVICE void publish_all(std::uint64_t key, const Pair& glanced, bool block_scope,
                                bool continues) {
  const std::uint32_t active = active_mask(), warp = warp_in_block();
  const std::uint32_t now = tick(block().warps[warp], active);
  publish_by_lanes(key, glanced, {true, block_scope, continues}, active, warp, now);
}
// By an atomic that writes: all, or what came before a fence.
REDFLAG_DEVICE void publish_atomic(std::uint64_t key, const Pair& glanced, const What& what,
                                   const Doing& doing) {
  const bool narrow = is_narrow(what.scope);
  const bool continues = what.deed == Deed::kAtomicRmw;
  if (is_release(what.order)) return publish_all(key, glanced, narrow, continues);
  const bool is_done =
      publish_by_lanes(key, glanced, {false, narrow, continues}, doing.active, doing.warp, 0);
  if (!continues && !is_done) end_sequence(key);
}
// Whether what an atomic has read is learnt at the next fence only.
REDFLAG_DEVICE bool is_pending(const What& what) {
  return what.deed == Deed::kAtomicRmw && !is_acquire(what.order) &&
         (what.rmw == Rmw::kCompareSwap || what.rmw == Rmw::kReduction);
}
REDFLAG_DEVICE void learn_from(std::uint64_t key, bool block_scope) {
  learn_at(key, glance(key), block_scope, false);
}

// At a barrier of the whole block; lanes of a warp that come to an aligned one apart are told.
REDFLAG_DEVICE void arrive_all(std::uint32_t site, std::uint32_t packed, std::uint32_t number,
                               std::uint32_t warp, std::uint32_t active) {
  Block& b = block();
  const std::uint32_t other = arrive(b.warps[warp], active, site);
  if (other == 0 || !What::of(packed).aligned) return;
  const Epoch at{static_cast<std::uint32_t>(b.block) & kBlockMask, warp, first(~active), 0};
  tell(doing_of(site, packed, active, 0), number, Word::of(Kind::kPlain, 15, other, at),
       kShared | kDivergence);
}

}  // namespace
}  // namespace redflag::device::compact

using namespace redflag;
using namespace redflag::device;
using namespace redflag::device::compact;
using std::uint32_t;
using std::uint64_t;

// All threads of a block, when the first one has made it.
REDFLAG_DEVICE void enter_block() {
  sync_block();
  const Block& b = block();
  if (b.state == 0) return;
  if (b.copies != 0) copies_of(b, thread_in_block()) = {};
  if (thread_in_block() % 32 == 0) begin_warp(warp_in_block());
  if (b.shadow != 0 || b.cluster_slots != 0) {
    if (b.shadow != 0) clear_shadow(b.shadow);
    if (b.cluster_slots != 0) clear_cluster_lines();
    sync_block();
  } else {
    sync_warp(active_mask());
  }
  hold_back(0);
}
REDFLAG_HOOK redflag_enter(uint64_t launch) {
  if (thread_in_block() == 0) begin_block(launch);
  enter_block();
}
REDFLAG_HOOK redflag_exit() {}

// The kernel's pointers (abi.h, kRoots).
REDFLAG_HOOK redflag_roots(uint32_t deeds, uint64_t a, uint64_t b, uint64_t c, uint64_t d,
                           uint64_t e, uint64_t f, uint64_t g, uint64_t h) {
  const uint64_t all[kMostRoots] = {a, b, c, d, e, f, g, h};
  for (uint32_t i = 0; i < kMostRoots; ++i) block().roots[i] = all[i];
  block().root_deeds = deeds;
}
REDFLAG_HOOK redflag_enter_with_roots(uint64_t launch) {
  if (thread_in_block() == 0) {
    begin_block(launch);
    begin_roots(launch);
  }
  enter_block();
}
extern "C" __attribute__((device, noinline, used)) uint32_t redflag_quiet_roots() {
  return block().state != 0 ? block().quiet_roots : 0;
}

REDFLAG_HOOK redflag_load(uint64_t address, uint32_t site, uint32_t packed) {
  if (block().state == 0) return;
  const What what = What::of(packed);
  check(place_of(address, what.memory), what.bytes, false, false, doing_now(site, packed));
}
REDFLAG_HOOK redflag_store(uint64_t address, uint32_t site, uint32_t packed, uint64_t value) {
  if (block().state == 0) return;
  const What what = What::of(packed);
  const Doing doing = doing_now(site, packed);
  const Place place = place_of(address, what.memory);
  check_lanes(address, value, what, doing, place);
  check(place, what.bytes, true, false, doing);
}

// The frequent ones (abi.h, kSpecialHooks).
REDFLAG_HOOK redflag_load_global4(uint64_t address, uint32_t site, uint32_t packed) {
  if (block().state != 0) check_global(address, 4, false, false, doing_now(site, packed));
}
REDFLAG_HOOK redflag_load_global8(uint64_t address, uint32_t site, uint32_t packed) {
  if (block().state != 0) check_global(address, 8, false, false, doing_now(site, packed));
}
REDFLAG_HOOK redflag_load_shared4(uint64_t address, uint32_t site, uint32_t packed) {
  if (block().state == 0) return;
  const Doing doing = doing_now(site, packed);
  if (block().shadow == 0 || block().copies != 0) {
    return check_own(address, 4, site, packed, doing.active, doing.time);
  }
  check_shared(static_cast<uint32_t>(address) & kOffsetMask, 15, false, false, doing);
}
REDFLAG_HOOK redflag_store_global4(uint64_t address, uint32_t site, uint32_t packed,
                                   uint64_t value) {
  if (block().state == 0) return;
  const Doing doing = doing_now(site, packed);
  check_lanes(address, value, What::of(packed), doing, {address, false, true});
  check_global(address, 4, true, false, doing);
}
REDFLAG_HOOK redflag_store_shared4(uint64_t address, uint32_t site, uint32_t packed,
                                   uint64_t value) {
  if (block().state == 0) return;
  const Doing doing = doing_now(site, packed);
  const Place place = place_of_own(address);
  check_lanes(address, value, What::of(packed), doing, place);
  if (block().shadow == 0 || block().copies != 0) {
    return check_own(address, 4 | 256, site, packed, doing.active, doing.time);
  }
  check_shared(static_cast<uint32_t>(place.address), 15, true, false, doing);
}

REDFLAG_HOOK redflag_met() {
  if (block().state == 0) return;
  const uint32_t active = active_mask(), warp = warp_in_block();
  (void)access_time(block().warps[warp], active, lanes_of_warp(warp));
}

REDFLAG_HOOK redflag_atomic_begin(uint64_t address, uint32_t site, uint32_t packed,
                                  uint64_t value) {
  if (block().state == 0) return;
  const What what = What::of(packed);
  const bool writes =
      what.deed == Deed::kWrite || what.deed == Deed::kAtomicStore || what.deed == Deed::kAtomicRmw;
  // What only reads is told when it has: those who spin look at all that there is at once.
  if (!writes) return;
  const Doing doing = doing_now(site, packed);
  const Place place = place_of(address, what.memory);
  const bool is_atomic = !what.is_volatile;
  if (!is_atomic) check_lanes(address, value, what, doing, place);
  if (!place.is_known || block().threads == 0) {
    return check(place, what.bytes, true, is_atomic, doing);
  }
  const uint64_t key = key_of(place);
  if (what.is_endless &&
      all(doing.active, was_told(key, atomic_told(site, doing.time), doing.warp))) {
    return;
  }
  const Pair glanced = glance(key);
  check(place, what.bytes, true, is_atomic, doing);
  publish_atomic(key, glanced, what, doing);
  // A release publishes more each time.
  if (what.is_endless && !is_release(what.order)) {
    note_told(key, atomic_told(site, doing.time), doing.warp);
  }
}
REDFLAG_HOOK redflag_atomic_end(uint64_t address, uint32_t site, uint32_t packed, uint32_t) {
  if (block().state == 0) return;
  const What what = What::of(packed);
  if (what.deed == Deed::kWrite || what.deed == Deed::kAtomicStore) return;
  const Place place = place_of(address, what.memory);
  if (!place.is_known) return;
  const bool has_signals = block().threads != 0;
  const uint64_t key = key_of(place);
  const Pair glanced = has_signals ? glance(key) : Pair{0, 0};
  if (what.deed != Deed::kAtomicRmw) {
    check(place, what.bytes, false, !what.is_volatile, doing_now(site, packed));
  }
  if (!has_signals) return;
  learn_at(key, glanced, is_narrow(what.scope), is_pending(what));
}

REDFLAG_HOOK redflag_fence(uint32_t site, uint32_t packed) {
  Block& b = block();
  if (b.state == 0 || b.threads == 0) return;
  hold_back(site);
  const uint32_t active = active_mask(), warp = warp_in_block();
  fence_by_lanes(is_narrow(What::of(packed).scope), warp, active, lanes_of_warp(warp));
}
REDFLAG_HOOK redflag_warp_sync(uint32_t, uint32_t, uint32_t mask) {
  Block& b = block();
  if (b.state == 0) return;
  const uint32_t warp = warp_in_block();
  const uint32_t all_lanes = lanes_of_warp(warp);
  // Lanes may be apart again already: the first one of those who met counts for all.
  if (first(mask & all_lanes) == lane())
    meet(b.warps[warp], mask & all_lanes, all_lanes, 1U << lane());
  sync_warp(mask);
}

REDFLAG_HOOK redflag_barrier_arrive(uint32_t site, uint32_t packed, uint32_t number,
                                    uint32_t count) {
  Block& b = block();
  if (b.state == 0) return;
  if (count != 0 && b.threads == 0) return;
  const uint32_t active = active_mask(), warp = warp_in_block();
  const bool aligned = What::of(packed).aligned;
  if (count != 0) return arrive_at(number, count, aligned, active, tick(b.warps[warp], active));
  if (b.threads != 0) hand_over(b.warps[warp], warp, active, lanes_of_warp(warp));
  arrive_all(site, packed, number, warp, active);
}
REDFLAG_HOOK redflag_barrier_pass(uint32_t site, uint32_t, uint32_t number, uint32_t count) {
  Block& b = block();
  if (b.state == 0) return;
  if (count != 0 && b.threads == 0) return;
  hold_back(site);
  if (count != 0) return pass(number, active_mask());
  Warp& w = b.warps[warp_in_block()];
  pass(w, active_mask());
  // Short times begin again: what is known of shared memory is of before the barrier.
  const uint32_t time = look(w.time);
  if (b.shadow != 0 && time / (kShadowTimes / 2) != look(w.cleared)) {
    sync_block();
    clear_shadow(b.shadow);
    if (is_first(active_mask())) put(w.cleared, time / (kShadowTimes / 2));
    sync_block();
  }
}
