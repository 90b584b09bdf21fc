// compact's short memory: what the last releases say that somebody of the block has learnt (core/detect/gpu/compact/kept.h).
//
// Most questions are about what was published last at the location that the thread has read last. So a thread remembers
// that release (Thread::unheard), and looks at what it and those before it say when it is asked the first time,
// or when it comes to a barrier behind which all of the block know. Who only passes signals on, as one who fills a
// queue, is never asked, and never looks: each release is a load that waits for the one before. Device code.
#pragma once

#include "frontends/cuda/device/compact_nodes.h"

namespace redflag::device::compact {

using gpu::compact::Epoch;
using gpu::compact::kBlockMask;
using gpu::compact::Kept;

REDFLAG_DEVICE bool is_own(const Block& b, std::uint32_t of_block) {
  return of_block == (static_cast<std::uint32_t>(b.block) & kBlockMask);
}
REDFLAG_DEVICE Kept look_kept(const std::uint64_t (&of)[kKept], std::uint32_t of_block) {
  return {look(of[of_block % kKept])};
}
REDFLAG_DEVICE void keep(std::uint64_t (&in)[kKept], Kept kept) {
  if (kept.time() != 0) put(in[kept.block() % kKept], kept.bits);
}
// Whether the lanes know of it by what is kept.
REDFLAG_DEVICE bool is_kept(const Block& b, const Epoch& e, std::uint32_t warp,
                            std::uint32_t together) {
  if (e.is_copy) return false;
  const std::uint32_t round = look(b.warps[warp].rounds);
  const Kept all = look_kept(b.ordered, e.block), one = look_kept(b.heard, e.block);
  return (all.is_before(e.block, e.time) && all.is_known_to(warp, together, round)) ||
         (one.is_before(e.block, e.time) && one.is_thread(e.warp * 32 + e.lane) &&
          one.is_known_to(warp, together, round));
}

// What releases say of their blocks, and of their threads, is kept for what is asked next: of the last ones at
// a location, up to one that was known.
REDFLAG_SLOW void hear(std::uint32_t release, std::uint32_t known, const Warp& w,
                       std::uint32_t learner) {
  constexpr std::uint32_t kMost = 4;
  Block& b = block();
  const std::uint32_t round = look(w.rounds);
#pragma unroll 1
  for (std::uint32_t i = 0; i < kMost && release != 0 && release != known; ++i) {
    const Node& node = node_at(b, release);
    const NodeWho who = load_part(node.who);
    const NodeWhere where = load_part(node.where);
    const std::uint32_t before = load_part(node.links).before;
    release = before != kNotLinked ? before : 0;
    const std::uint32_t of = who.block & kBlockMask;
    if ((who.flags & (kBlockScope | kCopies)) != 0 || where.lanes == 0 || is_own(b, of)) continue;
    const std::uint32_t thread = (who.flags >> kNodeWarpAt & 31) * 32 + first(where.lanes);
    keep(b.ordered, Kept::of(of, 0, who.flags >> kNodeTimeAt, learner, round));
    keep(b.heard, Kept::of(of, thread, who.own & 0xFFFF, learner, round));
  }
}
// What the thread has learnt last, and has not looked at. False: there is nothing.
REDFLAG_DEVICE bool hear_last(Thread& t, const Warp& w, std::uint32_t learner) {
  const std::uint32_t release = t.unheard;
  if (release == 0) return false;
  t.unheard = 0;
  hear(release, t.heard, w, learner);
  return true;
}
// The same of the lanes that ask together: of this one, or of the first that has learnt something.
REDFLAG_DEVICE bool hear_last(std::uint32_t warp, std::uint32_t together) {
  Block& b = block();
  const Warp& w = b.warps[warp];
  const std::uint32_t lanes = together & look(w.knows) & look(w.apart);
  if (lanes == 0) return false;
  const std::uint32_t in_block = warp * 32 + ((lanes >> lane() & 1) != 0 ? lane() : first(lanes));
  return hear_last(thread_of(b, in_block), w, in_block);
}

}  // namespace redflag::device::compact
