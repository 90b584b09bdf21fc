// compact on asynchronous copies: accesses of a copy, not of the thread that started it.
//
// A copy is known to be complete by two ways. Its thread waits for groups: then what it copied counts
// as accessed by the thread when it waited. Or a barrier object hears of it: then a node at that
// object (kCopies) covers the thread's copies so far, and nothing else. Until then words that it writes
// or reads in shared memory are marked as a copy's, and whoever accesses them, the thread itself too,
// races unless he knows. A mark that somebody found ordered is replaced.
//
// Global memory that is copied from is marked nowhere: when the thread waits, it looks whether
// somebody has written there since (the last kSources of its copies). With a barrier object that is
// not looked at. More than kGroups groups, or waits, are not told apart. Device code.
#pragma once

#include "frontends/cuda/device/compact_cluster.h"

namespace redflag::device::compact {

REDFLAG_DEVICE bool is_of_copy(const What& what) {
  return what.aligned;  // of accesses it means nothing else
}
REDFLAG_DEVICE Copies& copies_of(const Block& b, std::uint32_t in_block) {
  return reinterpret_cast<Copies*>(b.copies)[in_block];
}

// When the thread waited for what it copied then; 0: it has not.
REDFLAG_DEVICE std::uint32_t waited_at(const Block& b, const Epoch& e) {
  if (b.copies == 0) return 0;
  const Copies& c = copies_of(b, e.warp * 32 + e.lane);
  const std::uint32_t count = load_relaxed<Reach::kDevice>(&c.waits);
  for (std::uint32_t i = count > kGroups ? count - kGroups : 0; i < count; ++i) {
    const Waited& one = c.waited[i % kGroups];
    if (e.time < load_relaxed<Reach::kDevice>(&one.bound)) {
      return load_relaxed<Reach::kDevice>(&one.at);
    }
  }
  return 0;
}

// Whether a copy that the thread started then is complete before this access.
REDFLAG_SLOW bool is_copy_ordered(std::uint32_t of_block, std::uint32_t of_warp,
                                  std::uint32_t of_lane, std::uint32_t time, std::uint32_t warp,
                                  std::uint32_t active) {
  const Block& b = block();
  const Epoch e{of_block, of_warp, of_lane, time, true};
  const std::uint32_t own_block = static_cast<std::uint32_t>(b.block) & kBlockMask;
  const std::uint32_t at = of_block == own_block ? waited_at(b, e) : 0;
  if (at != 0) {
    if (of_warp == warp && of_lane == lane()) return true;
    const Doing doing = doing_of(0, 0, active, 0);
    if (is_ordered(Epoch{of_block, of_warp, of_lane, at}, doing)) return true;
  }
  return learnt(e, warp, active);
}

REDFLAG_DEVICE bool is_copy(Shadow shadow) {
  return shadow.bytes() == kCopyBytes;
}
// The time in full, on both sides of the barrier.
REDFLAG_DEVICE std::uint32_t full_time(Shadow shadow, std::uint32_t barrier) {
  const std::uint32_t since = (shadow.time() - barrier) % kShadowTimes;
  return since < kShadowTimes / 2 ? barrier + since : barrier - (kShadowTimes - since);
}

// A word that copies may have marked, before it is checked: afterwards it has no mark, unless it is
// a copy's read and this one too. `is_write`: of which slot.
REDFLAG_DEVICE void settle_mark(std::uint32_t at, std::uint32_t unit, Shadow mark, bool is_write,
                                bool conflicts, const Doing& doing) {
  if (mark.bits == 0 || !is_copy(mark)) return;
  if (!is_write && !conflicts) return;
  const std::uint32_t barrier = look(block().warps[doing.warp].barrier);
  const std::uint32_t time = full_time(mark, barrier);
  const Epoch e{doing.block, mark.thread() / 32, mark.thread() % 32, time, true};
  if (conflicts && !is_copy_ordered(e.block, e.warp, e.lane, e.time, doing.warp, doing.active)) {
    tell(doing, unit, Word::of(Kind::kCopy, 15, mark.site(), e),
         kShared | kShortSite | (is_write ? kFirstWrote : 0U));
  }
  const std::uint32_t waited = waited_at(block(), e);
  const Shadow next =
      waited == 0 ? Shadow{} : Shadow::of(mark.site(), 15, false, mark.thread(), waited);
  store_shadow(is_write ? at + 4 : at, next);
}

// Words of shared memory in a kernel with copies.
REDFLAG_SLOW void check_marked(std::uint32_t offset, std::uint32_t flags, std::uint32_t site,
                               std::uint32_t what, std::uint32_t active, std::uint32_t time) {
  const Doing doing = doing_of(site, what, active, time);
  const std::uint32_t bytes = flags & 0xFFFF;
  const bool writes = (flags & 0x10000) != 0, is_atomic = (flags & 0x20000) != 0;
  const bool by_copy = is_of_copy(What::of(what));
  const std::uint32_t size = block().shadow, end = offset + bytes;
  for (std::uint32_t unit = offset / kUnit * kUnit; unit < end && unit < size; unit += kUnit) {
    const std::uint32_t at = block().window + size + unit * 2;
    const SharedPair marks = load_shadow(at);
    settle_mark(at, unit, marks.write, true, true, doing);
    settle_mark(at, unit, marks.read, false, writes, doing);
    const std::uint32_t from = offset > unit ? offset - unit : 0;
    const std::uint32_t to = end < unit + kUnit ? end - unit : kUnit;
    // A read beside a copy's leaves that one's mark.
    if (is_copy(marks.read) && !writes) continue;
    check_shared(unit, ((1U << to) - 1) & ~((1U << from) - 1), writes, is_atomic, doing);
    if (!by_copy) continue;
    const std::uint32_t thread = doing.warp * 32 + doing.lane;
    store_shadow(writes ? at + 4 : at, Shadow::of(site, kCopyBytes, false, thread, time));
  }
}

// A thread's copies: what it copied from, groups, and waiting for them.
REDFLAG_DEVICE void note_source(std::uint64_t from, std::uint32_t bytes, const Doing& doing) {
  const Block& b = block();
  if (b.copies == 0) return;
  Copies& c = copies_of(b, doing.warp * 32 + doing.lane);
  c.sources[c.source_count++ % kSources] = {from, bytes, doing.site, doing.time, doing.what};
}
REDFLAG_DEVICE void commit_copies(std::uint32_t now) {
  const Block& b = block();
  if (b.copies == 0) return;
  Copies& c = copies_of(b, thread_in_block());
  c.commits[c.groups++ % kGroups] = now;
}
// Whether somebody has written, since the copy started, what it was read from.
REDFLAG_SLOW void compare_source(const Source& source, const Doing& now) {
  Doing doing = now;
  doing.site = source.site;
  doing.what = source.what;
  const std::uint64_t end = source.from + source.bytes;
  for (std::uint64_t at = source.from / kUnit * kUnit; at < end; at += kUnit) {
    Line* const line = line_at(at);
    if (line == nullptr) continue;
    const Seen seen = look_at(line);
    if (seen.owner.bits == 0 || seen.owner.launch() != launch_at(at) ||
        seen.owner.map_bits() == gpu::compact::kBusy) {
      continue;
    }
    const std::uint32_t word = static_cast<std::uint32_t>(at % kLineBytes / kUnit);
    const Word write{word_of(line, seen, word).first};
    const Epoch e = write.epoch();
    if (!write || e.block != doing.block || e.time <= source.time) continue;
    const bool own = e.warp == doing.warp && e.lane == doing.lane;
    if (own || !learnt(e, doing.warp, doing.active)) tell(doing, at, write, kFirstWrote);
  }
}
// All but the last `left` groups are complete; ~0: everything is.
REDFLAG_DEVICE void wait_for_copies(std::uint32_t left, const Doing& doing) {
  const Block& b = block();
  if (b.copies == 0) return;
  Copies& c = copies_of(b, thread_in_block());
  const bool counted = left < kGroups && left != 0;
  std::uint32_t bound = doing.time;
  if (counted) bound = c.groups > left ? c.commits[(c.groups - left - 1) % kGroups] : 0;
  for (std::uint32_t i = 0; i < kSources; ++i) {
    Source& source = c.sources[i];
    if (source.bytes == 0 || source.time >= bound) continue;
    compare_source(source, doing);
    source.bytes = 0;
  }
  if (bound == 0) return;
  Waited& mine = c.waited[c.waits % kGroups];
  store_relaxed<Reach::kDevice>(&mine.bound, bound);
  store_relaxed<Reach::kDevice>(&mine.at, doing.time);
  fence<Reach::kBlock>();
  store_relaxed<Reach::kDevice>(&c.waits, c.waits + 1);
}

}  // namespace redflag::device::compact
