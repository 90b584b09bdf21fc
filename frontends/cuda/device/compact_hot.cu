// compact's hooks of kernels that synchronise by barriers alone (frontends/cuda/rewrite/hot.h).
//
// The rewriter puts the frequent part in place; these are called for the rest (abi.h, HotHook). Of the
// lanes of an access only some may call: who accesses together is an argument. Part of the translation
// unit of compact.cu.
#include "frontends/cuda/device/compact_tags.h"

namespace redflag::device::compact {
namespace {

// Of the block of a kernel that has tags, if there is room for them.
REDFLAG_DEVICE uint32_t warp_of(Tag tag) {
  return block().shadow != 0 ? tag.thread() / 32 : warp_in_block();
}
REDFLAG_DEVICE uint32_t hot_time(uint32_t warp, Tag tag, uint32_t active, uint32_t time) {
  Block& b = block();
  uint32_t now = 0;
  if (is_first(active)) {
    now = time_of_access(b.warps[warp], tag, time, active != lanes_below_end(b.size - warp * 32));
  }
  return shuffle(active, now, first(active));
}

REDFLAG_DEVICE void check_hot(uint64_t address, uint32_t site, uint32_t packed, uint64_t value,
                              Tag tag, uint32_t together, uint32_t time) {
  const What what = What::of(packed);
  const uint32_t active = active_at(site);
  const bool writes =
      what.deed == Deed::kWrite || what.deed == Deed::kAtomicStore || what.deed == Deed::kAtomicRmw;
  const bool is_atomic = !what.is_volatile && what.deed >= Deed::kAtomicLoad;
  const Place place = place_of(address, what.memory);
  // Times are of lines: of shared memory tags tell.
  Doing doing = doing_of(site, packed, active, 0);
  if (what.memory != Memory::kShared) {
    doing.time = hot_time(doing.warp, tag, active, time);
  }
  if (writes && !is_atomic) check_lanes(address, value, what, doing, place);
  if (!place.is_known || what.bytes == 0) return;
  if (!place.is_shared) return check_global(address, what.bytes, writes, is_atomic, doing);
  const uint32_t end = static_cast<uint32_t>(place.address) + what.bytes;
  for (uint32_t unit = static_cast<uint32_t>(place.address) / kUnit * kUnit; unit < end;
       unit += kUnit) {
    check_tags(unit, writes, is_atomic, site, packed, tag, together);
  }
}

}  // namespace
}  // namespace redflag::device::compact

// Of the launch; HotUses (abi.h).
extern "C" __attribute__((device, noinline, used)) Context redflag_hot_enter(uint64_t launch,
                                                                             uint32_t uses) {
  const uint32_t thread = thread_in_block();
  if (thread == 0) {
    const uint32_t quiet = (uses & kOnlyRoots) != 0 ? known_quiet_roots(launch) : 0;
    if ((quiet & kAllQuiet) == 0) {
      begin_block(launch);
      if ((uses & kUsesRoots) != 0) begin_roots(launch);
    } else {
      block().quiet_roots = quiet;
    }
    const bool ends = (uses & kOnlyRoots) != 0 && (block().quiet_roots & kAllQuiet) != 0;
    if (ends) block().state = 0;
  }
  sync_block();
  const Block& b = block();
  if (b.state != 0) {
    if (thread % 32 == 0) begin_warp(thread / 32);
    if (b.shadow != 0 && (uses & kUsesShared) != 0) {
      clear_shadow(b.shadow);
      sync_block();
    } else {
      sync_warp(active_mask());
    }
    hold_back(0);
  }
  return context_of(thread);
}

REDFLAG_HOOK redflag_hot_load(uint64_t address, uint32_t site, uint32_t packed, uint32_t tag,
                              uint32_t lanes, uint32_t time) {
  if (block().state != 0) check_hot(address, site, packed, 0, {tag}, lanes, time);
}
// Words of shared memory that a loop will load, so many bytes apart.
REDFLAG_HOOK redflag_hot_range(uint64_t address, uint32_t site, uint32_t packed, uint32_t stride,
                               uint32_t count, uint32_t tag, uint32_t lanes, uint32_t) {
  if (block().state == 0 || block().shadow == 0) return;
  const auto first = static_cast<uint32_t>(address);
  if (is_read_together(first, stride, count, site, {tag})) return;
  for (uint32_t i = 0; i < count; ++i) {
    check_tags(first + i * stride, false, false, site, packed, {tag}, lanes);
  }
}
REDFLAG_HOOK redflag_hot_store(uint64_t address, uint32_t site, uint32_t packed, uint64_t value,
                               uint32_t tag, uint32_t lanes, uint32_t time) {
  if (block().state != 0) check_hot(address, site, packed, value, {tag}, lanes, time);
}
REDFLAG_HOOK redflag_hot_atomic(uint64_t address, uint32_t site, uint32_t packed, uint64_t value,
                                uint32_t tag, uint32_t lanes, uint32_t time) {
  if (block().state != 0) check_hot(address, site, packed, value, {tag}, lanes, time);
}

// Global memory, not one lane after the other. Where the next record goes.
extern "C" __attribute__((device, noinline, used)) uint32_t
redflag_hot_global(uint64_t address, uint32_t site, uint32_t packed, uint64_t value, uint32_t tag,
                   uint32_t log, uint32_t time) {
  const uint32_t active = active_at(site);
  if (log != 0 && active == kAllLanes &&
      append_odd(log, tag, time, address, site, What::of(packed))) {
    return log;
  }
  const Block& b = block();
  if (b.state == 0) return log;
  const What what = What::of(packed);
  const bool writes = what.deed == Deed::kWrite;
  Doing doing;
  doing.site = site;
  doing.what = packed;
  doing.active = active;
  doing.warp = warp_of({tag});
  doing.lane = lane();
  doing.time = hot_time(doing.warp, {tag}, doing.active, time);
  doing.block = static_cast<uint32_t>(b.block) & kBlockMask;
  if (writes && doing.active != 1U << doing.lane) {
    check_lanes(address, value, what, doing, {address, false, true});
  }
  check_words(address, what.bytes, writes, doing);
  return log;
}
extern "C" __attribute__((device, noinline, used)) uint32_t redflag_hot_flush(uint32_t tag,
                                                                              uint32_t log,
                                                                              uint32_t time) {
  return flush(log, tag, time);
}

// Barriers of the whole block: before one, if something is logged or not all lanes are here.
extern "C" __attribute__((device, noinline, used)) uint32_t redflag_hot_arrive(
    uint32_t site, uint32_t packed, uint32_t number, uint32_t tag, uint32_t log, uint32_t time) {
  Block& b = block();
  if (b.state == 0) return log;
  const uint32_t warp = warp_of({tag});
  if (active_mask() != lanes_below_end(b.size - warp * 32)) {
    arrive_all(site, packed, number, warp, active_mask());
  }
  return b.log == 0 || log % kLogBytes == 0 ? log : flush(log, tag, time);
}
// And behind it, if not all lanes were there, or intervals begin again. The thread's next tag.
extern "C" __attribute__((device, noinline, used)) uint32_t redflag_hot_pass(uint32_t tag, uint32_t,
                                                                             uint32_t) {
  Block& b = block();
  if (b.state == 0) return tag;
  const uint32_t active = active_mask();
  Warp& w = b.warps[warp_of({tag})];
  if (is_first(active)) atomic_and(&w.arrived, ~active);
  if (b.shadow == 0) return tag;
  if (Tag{tag}.is_last_interval()) {
    sync_block();
    clear_shadow(b.shadow);
    sync_block();
  }
  const Tag next = Tag{tag}.next_interval();
  return b.log == 0 ? next.last_phase().bits : next.bits;
}

// The end of a thread, where no barrier comes any more.
REDFLAG_HOOK redflag_hot_exit(uint32_t tag, uint32_t log, uint32_t time) {
  if (block().state != 0 && block().log != 0) stop(log, tag, time);
}
