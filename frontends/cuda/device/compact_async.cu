// compact's hooks of clusters, of the device's heap, of barrier objects and of asynchronous copies.
//
// What is simplified: barrier objects order whoever waits after all who arrived so far. Part of the translation unit of compact.cu.
#include "frontends/cuda/device/compact_copies.h"

namespace redflag::device::compact {
namespace {

// An access of a copy: of any length, and no pattern.
REDFLAG_DEVICE void check_copied(const Place& place, std::uint32_t bytes, bool writes,
                                 const Doing& doing) {
  if (!place.is_known) return;
  if (place.is_shared) return check(place, bytes, writes, false, doing);
  constexpr std::uint32_t kPiece = 128;
  for (std::uint32_t at = 0; at < bytes; at += kPiece) {
    check_global_now(place.address + at,
                     (bytes - at < kPiece ? bytes - at : kPiece) | (writes ? 256U : 0U), doing.site,
                     doing.what, doing.active, doing.time);
  }
}

REDFLAG_DEVICE std::uint64_t key_of_cluster() {
  std::uint64_t cluster = 0;
  if constexpr (kClusters) cluster = cluster_in_grid();
  return std::uint64_t{3} << 62 | cluster;
}

}  // namespace
}  // namespace redflag::device::compact

REDFLAG_HOOK redflag_cluster_arrive(uint32_t, uint32_t packed) {
  if (block().state == 0 || block().threads == 0) return;
  const uint64_t key = key_of_cluster();
  if (is_release(What::of(packed).order)) return publish_all(key, glance(key), false, true);
  publish_by_lanes(key, glance(key), {false, false, true}, active_mask(), warp_in_block(), 0);
}
REDFLAG_HOOK redflag_cluster_pass(uint32_t site, uint32_t) {
  if (block().state == 0 || block().threads == 0) return;
  learn_from(key_of_cluster(), false);
  hold_back(site);
}

REDFLAG_HOOK redflag_malloc(uint64_t address, uint64_t bytes, uint32_t) {
  if (block().state != 0) allocated(address, bytes);
}
REDFLAG_HOOK redflag_free(uint64_t address, uint32_t site) {
  if (block().state != 0) freed(address, site);
}

REDFLAG_HOOK redflag_mbarrier_init(uint64_t, uint32_t, uint32_t, uint32_t) {}
REDFLAG_HOOK redflag_mbarrier_inval(uint64_t, uint32_t, uint32_t) {}
REDFLAG_HOOK redflag_mbarrier_arrive(uint64_t address, uint32_t, uint32_t packed, uint32_t,
                                     uint32_t) {
  if (block().state == 0 || block().threads == 0) return;
  const Place place = place_of(address, What::of(packed).memory);
  if (!place.is_known) return;
  const uint64_t key = key_of(place);
  publish_all(key, glance(key), is_narrow(What::of(packed).scope), true);
}
REDFLAG_HOOK redflag_mbarrier_wait(uint64_t address, uint32_t, uint32_t packed, uint32_t complete) {
  if (block().state == 0 || block().threads == 0 || complete == 0) return;
  const Place place = place_of(address, What::of(packed).memory);
  if (place.is_known) learn_from(key_of(place), is_narrow(What::of(packed).scope));
}

REDFLAG_HOOK redflag_async_copy(uint64_t to, uint64_t from, uint32_t site, uint32_t packed,
                                uint32_t bytes) {
  // Without a place for what it needs, a copy is not told of: it happens some time later than its thread.
  if (block().state == 0 || block().copies == 0) return;
  What what = What::of(packed);
  const Place place = place_of(to, what.memory), source = place_of(from, Memory::kGeneric);
  what.aligned = true;
  what.bytes = kUnit;
  what.deed = Deed::kRead;
  const Doing doing = doing_now(site, what.packed());
  const bool is_store = place.address == source.address && place.is_shared == source.is_shared;
  if (!is_store) {
    // Marks are for shared memory; of global memory the thread looks again when it waits.
    Doing reads = doing;
    const bool is_global = !source.is_shared && !gpu::is_shared(source.address);
    if (is_global) {
      note_source(source.address, bytes, doing);
      What plain = what;
      plain.aligned = false;
      reads.what = plain.packed();
    }
    check_copied(source, bytes, false, reads);
  }
  what.deed = Deed::kWrite;
  check_copied(place, bytes, true, doing_of(site, what.packed(), doing.active, doing.time));
}
REDFLAG_HOOK redflag_async_commit(uint32_t) {
  if (block().state == 0 || block().copies == 0) return;
  commit_copies(tick(block().warps[warp_in_block()], active_mask()));
}
REDFLAG_HOOK redflag_async_wait(uint32_t site, uint32_t left) {
  if (block().state == 0 || block().copies == 0) return;
  const uint32_t active = active_mask();
  const uint32_t now = tick(block().warps[warp_in_block()], active);
  wait_for_copies(left, doing_of(site, 0, active, now));
}
REDFLAG_HOOK redflag_async_arrive(uint64_t address, uint32_t, uint32_t packed, uint32_t, uint32_t) {
  if (block().state == 0 || block().threads == 0) return;
  const Place place = place_of(address, What::of(packed).memory);
  const uint32_t active = active_mask(), warp = warp_in_block();
  const uint32_t now = tick(block().warps[warp], active);
  if (!place.is_known) return;
  const uint64_t key = key_of(place);
  if (block().copies == 0) return publish_all(key, glance(key), false, true);
  publish_copies(key, warp, lane(), now);
}
