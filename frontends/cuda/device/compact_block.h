// compact in a block: the times of its warps, barriers and meetings.
//
// A warp's time begins with its block and goes on whenever something could order what it did before with what others do
// later: at barriers, meetings of its lanes, and releases. A barrier of the whole block gives all
// warps the same time, so that "before the last barrier" is one comparison. Lanes of a warp are in
// order when they execute an access together (as ptx_model's level cuda has it): an access by all
// lanes is a meeting, noted when a part of the warp goes its own way afterwards.
//
// Device code; all functions are called by the lanes of `active` together.
#pragma once

#include "frontends/cuda/device/compact_state.h"
#include "frontends/cuda/device/intrinsics.h"

extern "C" {
REDFLAG_GLOBAL std::uint64_t redflag_state;
// The special hooks are put in place of their calls, so that what they compute is computed once for
// many of them.
REDFLAG_GLOBAL std::uint32_t redflag_splice_most = 200;
REDFLAG_SHARED redflag::device::compact::Block redflag_block;
// Dynamic shared memory: what comes behind all static one.
extern __attribute__((device, shared, aligned(16))) char redflag_dynamic[];
}

namespace redflag::device::compact {

REDFLAG_DEVICE Block& block() {
  return redflag_block;
}
REDFLAG_DEVICE State& state_of(const Block& b) {
  return *reinterpret_cast<State*>(b.state);
}
REDFLAG_DEVICE std::uint32_t warp_in_block() {
  return thread_in_block() / 32;
}
// Lanes that a warp has at all, if so many threads begin with it.
REDFLAG_DEVICE std::uint32_t lanes_below_end(std::uint32_t threads) {
  return threads >= 32 ? kAllLanes : (1U << threads) - 1;
}
REDFLAG_DEVICE std::uint32_t lanes_of_warp(std::uint32_t warp) {
  return lanes_below_end(threads_of_block() - warp * 32);
}
REDFLAG_DEVICE bool is_first(std::uint32_t active) {
  return (active & lanes_below()) == 0;
}
// Fields of the block that others of it write. Volatile is relaxed, and, unlike an instruction of our own, can be
// seen by the compiler to be of shared memory.
template <typename T>
REDFLAG_DEVICE T look(const T& at) {
  return static_cast<const volatile T&>(at);
}
template <typename T>
REDFLAG_DEVICE void put(T& at, T value) {
  static_cast<volatile T&>(at) = value;
}
// A thread's memory, from when it has one (Warp::apart). First lanes of warps, who often signal for the others, have different
// places near by.
REDFLAG_DEVICE std::uint32_t near_slot(std::uint32_t in_block) {
  return (in_block + in_block / 32) % kNear;
}
REDFLAG_DEVICE Thread& thread_of(Block& b, std::uint32_t in_block) {
  const std::uint32_t slot = near_slot(in_block);
  if (look(b.near_of[slot]) == in_block + 1) return b.near[slot];
  return reinterpret_cast<Thread*>(b.threads)[in_block];
}
REDFLAG_DEVICE Thread& new_thread(Block& b, std::uint32_t in_block) {
  compare_swap(&b.near_of[near_slot(in_block)], 0U, in_block + 1);
  return thread_of(b, in_block);
}

// Logs of kernels with barriers alone (compact_log.h) are behind the shadow.
REDFLAG_DEVICE std::uint32_t log_begin(std::uint32_t shadow) {
  using gpu::compact::kLogBytes;
  return shadow == 0 ? 0 : (shadow * 3 + kLogBytes - 1) / kLogBytes * kLogBytes;
}

// By thread 0, before anybody else of the block goes on.
REDFLAG_DEVICE void begin_block(std::uint64_t launch) {
  Block& b = block();
  b.state = (launch & kNotChecked) != 0 ? 0 : redflag_state;
  if (b.state == 0) return;
  State& s = *reinterpret_cast<State*>(redflag_state);
  b.block = block_in_grid();
  b.threads = 0;
  b.pages = s.main_pages;
  b.region = static_cast<std::uint32_t>(s.main_region);
  b.launch = static_cast<std::uint32_t>(launch);
  b.is_fenced = 0;
  b.together = 0;
  b.size = threads_of_block();
  b.concurrent = static_cast<std::uint32_t>(s.concurrent);
  b.next_time[0] = b.next_time[1] = 1;
  b.ticks[0] = kFlips;
  b.ticks[1] = 0;
  b.quiet_roots = 0;
  b.learnt[0] = b.learnt[1] = b.pending[0] = b.pending[1] = 0;
  b.free_nodes = 0;
  b.last_release = 0;
  // Marks of several readers mean nothing there (compact_direct.h).
  const bool is_direct = (launch & kDirectCells) != 0 && (launch & kHasSignals) != 0;
  b.direct = is_direct ? s.direct_pages : 0;
  for (std::uint32_t i = 0; i < kCellPages; ++i) b.cell_pages[i] = 0;
  b.direct_region = static_cast<std::uint32_t>(s.direct_region);
  b.direct_stamp = is_direct ? static_cast<std::uint32_t>(launch >> kStampAt & kStampMask) : 0;
  for (std::uint32_t i = 0; i < kKept; ++i) b.ordered[i] = b.heard[i] = 0;
  for (std::uint32_t i = 0; i < kNear; ++i) b.near_of[i] = 0;
  for (std::uint32_t i = 0; i < kChunksKept; ++i) b.chunks[i] = 0;
  const std::uint32_t dynamic =
      static_cast<std::uint32_t>(launch >> kDynamicAt & kDynamicMask) * 16;
  const std::uint32_t address = to_shared(reinterpret_cast<std::uint64_t>(&redflag_dynamic[0]));
  const std::uint32_t end = (address & kOffsetMask) + dynamic;
  b.window = address & ~kOffsetMask;
  b.shadow = (launch & (kHasShadow | kInClusters)) == kHasShadow ? end : 0;
  b.log = (launch & kNoLog) == 0 && b.concurrent == 0 ? log_begin(b.shadow) : 0;
  b.cluster_slots = 0;
  b.copies = 0;
  b.tag_bits = static_cast<std::uint32_t>(s.tag_bits);
  b.schedule = static_cast<std::uint32_t>(s.schedule);
  for (std::uint32_t i = 0; i < kBarriers; ++i) b.arrivals[i] = 0;
  if ((launch & kInClusters) != 0) {
    b.cluster_lines = s.cluster_lines;
    b.cluster_line_count = end / gpu::compact::kLineBytes + 1;
    b.cluster_slots = s.cluster_line_count / b.cluster_line_count;
  }
  if ((launch & kHasSignals) == 0) return;
  b.nodes = s.nodes;
  b.locations = s.locations;
  b.location_mask = s.location_count - 1;
  b.outboxes = s.outboxes;
  // Blocks that are resident at a time are far fewer than the ring has room for.
  const std::uint32_t count = threads_of_block();
  const std::uint32_t room = s.thread_count / count * count;
  const std::uint32_t index = atomic_add(&s.next_thread, count) % room;
  b.threads = s.threads + (index / count * count) * sizeof(Thread);
  if ((launch & kHasCopies) == 0 || s.copies_count < count) return;
  const std::uint32_t places = s.copies_count / count * count;
  const std::uint32_t at = atomic_add(&s.next_copies, count) % places;
  b.copies = s.copies + std::uint64_t{at / count * count} * sizeof(Copies);
}
// By each warp's first lane, then all of it goes on.
REDFLAG_DEVICE void begin_warp(std::uint32_t warp) {
  Warp& w = block().warps[warp];
  w.time = w.barrier = w.meet = 1;
  w.full_at = w.part_mask = w.part_time = w.device_fence = w.arrived = w.rounds = w.cleared =
      w.arrive_site = w.apart = w.knows = 0;
  w.common = {};
  w.published = {};
  w.published_by = 0;
  w.atomic_address = 0;
  w.parted = w.held = 0;
  w.logged = 0;
}

// No more times: the rest of the block is not checked.
REDFLAG_SLOW void end_of_time() {
  Block& b = block();
  const std::uint64_t state = atomic_exchange(&b.state, std::uint64_t{0});
  if (state == 0) return;
  atomic_add(&reinterpret_cast<State*>(state)->out_of_time, std::uint64_t{1});
}
// The warp's time goes on; what it did before is earlier than what it returns.
REDFLAG_DEVICE std::uint32_t tick(Warp& w, std::uint32_t active) {
  std::uint32_t now = 0;
  if (is_first(active)) {
    now = atomic_add(&w.time, 1U) + 1;
    if (now >= gpu::compact::kLastTime) end_of_time();
  }
  return shuffle(active, now, first(active));
}
// A barrier of the whole block: before it, and behind it. All warps go on at the same time, which is
// later than what each of them did before. Rounds alternate between two places: nobody arrives at
// the round after next before all have passed this one.
// Returns where other lanes of the warp wait at another barrier; 0: they do not.
REDFLAG_DEVICE std::uint32_t arrive(Warp& w, std::uint32_t active, std::uint32_t site) {
  Block& b = block();
  if (!is_first(active)) return 0;
  const std::uint32_t waiting = atomic_or(&w.arrived, active);
  const std::uint32_t other = atomic_exchange(&w.arrive_site, site);
  atomic_max(&b.next_time[look(w.rounds) & 1], look(w.time) + 1);
  return waiting != 0 && other != site ? other : 0;
}
// Lanes that waited apart from each other are of one round, and have all arrived: the first of them
// passes for the others, who may come here when it has arrived at the next one already.
REDFLAG_DEVICE bool is_first_to_pass(Warp& w, std::uint32_t active) {
  std::uint32_t arrived = look(w.arrived);
  while ((arrived & active) != 0) {
    const std::uint32_t seen = compare_swap(&w.arrived, arrived, 0U);
    if (seen == arrived) return true;
    arrived = seen;
  }
  return false;
}
REDFLAG_DEVICE void pass(Warp& w, std::uint32_t active) {
  Block& b = block();
  if (is_first(active) && is_first_to_pass(w, active)) {
    const std::uint32_t rounds = look(w.rounds);
    const std::uint32_t now = look(b.next_time[rounds & 1]);
    atomic_max(&w.time, now);
    put(w.barrier, now);
    put(w.meet, now);
    if (now >= gpu::compact::kLastTime) end_of_time();
    put(w.rounds, rounds + 1);
  }
  sync_warp(active);
}

// Lanes of a warp have met.
REDFLAG_DEVICE void meet(Warp& w, std::uint32_t lanes, std::uint32_t all_lanes,
                         std::uint32_t active) {
  const std::uint32_t now = tick(w, active);
  if (!is_first(active)) return;
  if (lanes == all_lanes) {
    put(w.meet, now);
    put(w.part_mask, 0U);
  } else {
    const std::uint32_t others = look(w.part_mask);
    put(w.part_mask, (others & lanes) != 0 ? others | lanes : lanes);
    put(w.part_time, now);
  }
}
// An access by these lanes, together: the time to write down.
REDFLAG_DEVICE std::uint32_t access_time(Warp& w, std::uint32_t active, std::uint32_t all_lanes) {
  const std::uint32_t time = look(w.time);
  if (active == all_lanes) {
    if (look(w.full_at) != time) put(w.full_at, time);
    return time;
  }
  if (look(w.full_at) != time) return time;
  // All were together at this time, and are not any more. Of two parts that come here at one instant the time goes on
  // once, and nobody sees it before the meeting.
  std::uint32_t now = 0;
  if (is_first(active)) {
    atomic_max(&w.meet, time + 1);
    const std::uint32_t seen = compare_swap(&w.time, time, time + 1);
    now = seen == time ? time + 1 : seen;
    if (now >= gpu::compact::kLastTime) end_of_time();
  }
  return shuffle(active, now, first(active));
}

}  // namespace redflag::device::compact
