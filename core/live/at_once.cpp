// An access that does not wait, by the shortest way there is.
//
// In short critical sections every epoch sees a few accesses of many instructions: nothing gathers,
// nothing repeats, memos are never hit. What remains is to find the history, see that it happened
// before, put this epoch in its place and note the access. So the usual cases are here in one piece
// that calls nothing: granules, halves (halves.cpp) and bytes (bytes.cpp) whose history is a pair that
// the thread knows, or one of several readers of which it is one (readers.cpp).
//
// What an epoch needs once (its handles, the number of its set of locks, of a call) is made on a second
// way, which also serves accesses of several granules. The first granule that is different, and
// those after it, are left to the rules, which find them unchanged.
#include "core/live/detector.h"

namespace redflag::live {

// What becomes of the pair b; 0: the rules must say. The thread has its handles.
template <bool is_write>
[[gnu::always_inline]] inline std::uint32_t Detector::simply(Thread& t, std::uint32_t b) {
  const std::uint64_t* const line = &pairs.word(b - b % kLineSize);
  const std::uint64_t* word = line + b % kLineSize;
  const std::uint64_t me = t.clock.epoch.bits();
  std::uint64_t w = *word & ~Pairs::kOwner;
  // A line is of one slot, as its first word says. Whoever has the slot knows all of it: what was read
  // after something knew it, or was told of.
  if (((*line ^ me) & (kMaxSlots - 1)) != 0) {
    const bool owned = (*word & Pairs::kOwner) != 0;
    if ((is_write || owned) && !t.clock.covers(Epoch::from_bits(w))) return 0;
    if (!owned) {
      do --word;
      while ((*word & Pairs::kOwner) == 0);
      if (!t.clock.covers(Epoch::from_bits(*word & ~Pairs::kOwner))) return 0;
    }
  }
  if (is_write) return t.base;
  if (w == me) return b;
  if (is_past(Epoch::from_bits(w))) w = 0;
  ReadEntry& known = t.reads[ReadEntry::place_of(Epoch::from_bits(w))];
  if (known.write == w && known.key == t.key) return known.handle;
  if (t.used == t.room) return 0;
  const std::uint32_t made = t.base + t.used++;
  pairs.set_write(made, Epoch::from_bits(w));
  known = {w, t.key, made};
  return made;
}

// remember(), in short: such accesses make no runs.
template <bool is_write>
[[gnu::always_inline]] inline void Detector::note_at_once(Thread& t, AtOnce& a) {
  if (a.noted) return;
  a.noted = true;
  if (!keeps_log()) return;
  t.log.add({Brief::what_of(a.addr, a.size, is_write ? LogKind::kWrite : LogKind::kRead, 0), a.pc,
             t.clock.epoch.clock(), a.node, t.lockset});
}

// What becomes of a history that a granule, a half or a byte has; 0: the rules must say.
template <bool is_write>
[[gnu::always_inline]] inline std::uint32_t Detector::history_at_once(Thread& t, AtOnce& a,
                                                                      std::uint32_t b) {
  if (is_write ? b == t.base : b - t.base < t.room) return b;
  if (form(b) == Form::kPair) return simply<is_write>(t, b);
  if (is_write || !is_own(b)) return 0;  // also where it is frozen
  SharedHistory& s = shared[shared_index(b)];
  const Epoch me = t.clock.epoch;
  std::atomic<std::uint64_t>* read = s.few;
  if (s.readers > SharedHistory::kInline) return 0;
  for (const auto* const end = s.few + s.readers;; ++read) {
    if (read == end) return 0;
    const std::uint64_t before = read->load(std::memory_order_relaxed);
    if (((before ^ me.bits()) & (kMaxSlots - 1)) != 0) continue;
    if (before == me.bits()) return b;
    // As read_own().
    if (s.open.load(std::memory_order_acquire) == 0 || !t.clock.covers(s.write)) return 0;
    note_at_once<is_write>(t, a);
    read->store(me.bits(), std::memory_order_seq_cst);
    if (s.open.load(std::memory_order_seq_cst) == 0) {
      read->store(before, std::memory_order_relaxed);
      return 0;
    }
    know_shared(t, b);
    return b;
  }
}

// [at, at + size), of a granule. False: the rules must do it. `single`: it has one handle; else false as
// well.
template <bool is_write, bool single>
[[gnu::always_inline]] inline bool Detector::granule_at_once(Thread& t, AtOnce& a, std::uint64_t at,
                                                             unsigned size) {
  Cell* place = shadow.find(at);
  if (place == nullptr) return false;
  const std::uint32_t owner = shadow.owner(at).load(std::memory_order_acquire);
  const bool mine = (owner & kOwnerMask) == t.number + 1;
  if (!mine && owner != kSharedBlock) return false;
  std::uint32_t b = place->load(std::memory_order_acquire);
  const auto low = static_cast<unsigned>(at % kGranule);
  // Where the handles are: the cell, one of two halves, or one of eight bytes and those after it.
  unsigned step = kGranule;
  Halves* both = nullptr;
  if (form(b) == Form::kSplit) {
    if (is_halves(b)) {
      if (single ? size != 4 || low % 4 != 0 : (low | size) % 4 != 0) return false;
      both = &halves[halves_index(b)];
      place = both->half_at(low / 4);
      step = 4;
      b = place->load(std::memory_order_acquire);
    } else if (is_own_split(b)) {
      if (single ? size != 1 : size == kGranule) return false;
      place = &splits[split_index(b)].bytes[low];
      step = 1;
      b = place->load(std::memory_order_acquire);
    }
  }
  if (single && step == kGranule && size != kGranule) return false;
  for (unsigned left = size;;) {
    if (kUnderTsan && both != nullptr) both->tell_of_half();
    std::uint32_t to = single || left >= step ? history_at_once<is_write>(t, a, b) : 0;
    if (to == 0) {  // also where b is 0
      if (step != kGranule) return false;
      const std::uint32_t shape = shape_of(is_write, low, size);
      const Memo& memo = t.memos[memo_of(b, shape)];
      if (memo.from != b || memo.key != (t.key | shape)) return is_known(t, b, is_write);
      to = memo.to;
    }
    if (to != b) {
      note_at_once<is_write>(t, a);
      if (kUnderTsan && both != nullptr) both->tell_of_half();
      if (!change(*place, b, to, mine)) return false;
    }
    if (single || left <= step) return true;
    left -= step;
    b = (++place)->load(std::memory_order_acquire);
  }
}

// The same for a part of something that is in the log already.
template <bool is_write>
bool Detector::part_at_once(Thread& t, std::uint64_t at, unsigned size) {
  if (shadow.aliases.any()) return false;
  ensure_base(t);
  AtOnce a{at, 0, size, 0, true};
  return granule_at_once<is_write, false>(t, a, at, size);
}
template bool Detector::part_at_once<false>(Thread&, std::uint64_t, unsigned);
template bool Detector::part_at_once<true>(Thread&, std::uint64_t, unsigned);

// From address `at` on.
void Detector::rest_by_rules(Thread& t, const AtOnce& one, LogKind kind, std::uint64_t inner,
                             std::uint64_t at) {
  Access a{one.addr, one.size, one.pc, kind};
  a.inner = inner;
  if (one.noted) {
    a.context = context(t, one.pc);
    if (inner != 0) a.context = contexts.child(arena, a.context, inner);
  }
  a.whole = true;
  a.alone = true;
  const std::uint64_t end = one.addr + one.size;
  if (end - at > 4 * std::uint64_t{kGranule}) {
    stretch(t, a, at, end);
  } else {
    while (at < end) {
      const std::uint64_t g = at / kGranule * kGranule;
      const std::uint64_t stop = end < g + kGranule ? end : g + kGranule;
      granule(t, a, g, static_cast<unsigned>(at - g), static_cast<unsigned>(stop - g));
      at = stop;
    }
  }
  flush(t, a);
}

// Several granules, or something is to be made first.
template <bool is_write>
void Detector::check_in_parts(Thread& t, std::uint64_t addr, unsigned size, std::uint64_t pc,
                              std::uint64_t inner) {
  constexpr LogKind kKind = is_write ? LogKind::kWrite : LogKind::kRead;
  world.enter(t);
  AtOnce a{addr, pc, size, 0, false};
  std::uint64_t at = addr;
  const std::uint64_t end = addr + size;
  if (listener.hears(addr, end)) {
    Access told{addr, size, pc, kKind};
    told.inner = inner;
    listener.tell(t, told, addr, end);
  }
  if (size <= Brief::kMostBytes && !shadow.aliases.any()) {
    ensure_base(t);
    a.node = node_of(t);
    if (inner != 0) {
      a.node = context(t, pc);
      a.pc = inner;
    }
    lockset(t);
    while (at < end) {
      const std::uint64_t next = (at | (kGranule - 1)) + 1;
      const std::uint64_t stop = end < next ? end : next;
      if (!granule_at_once<is_write, false>(t, a, at, static_cast<unsigned>(stop - at))) break;
      at = stop;
    }
  }
  if (at != end) {
    a.pc = pc;
    rest_by_rules(t, a, kKind, inner, at);
  }
  world.leave(t);
  sweep_if_due(t);
}

// Is the cell's history one of several readers that this read changes nothing of?
[[gnu::always_inline]] inline bool Detector::has_read(const Thread& t, std::uint64_t addr,
                                                      unsigned size) {
  const Cell* const cell = shadow.find(addr);
  if (cell == nullptr) return false;
  const std::uint32_t h = cell->load(std::memory_order_relaxed);
  if (form(h) != Form::kShared) return false;
  if (t.hot->shared[Hot::place_of(h)] == h) return true;
  const std::uint32_t shape = shape_of(false, addr % kGranule, size);
  const Memo& memo = t.memos[memo_of(h, shape)];
  return memo.from == h && memo.to == h && memo.key == (t.key | shape);
}

template void Detector::check_in_parts<false>(Thread&, std::uint64_t, unsigned, std::uint64_t,
                                              std::uint64_t);
template void Detector::check_in_parts<true>(Thread&, std::uint64_t, unsigned, std::uint64_t,
                                             std::uint64_t);

template <bool is_write>
void Detector::check_at_once(Thread& t, std::uint64_t addr, unsigned size, std::uint64_t pc,
                             std::uint64_t inner) {
  if (is_left_out(t, addr, size)) return;
  const std::uint32_t inside = t.inside.load(std::memory_order_relaxed);
  const bool two = size == 2 * kGranule && addr % kGranule == 0;
  if (is_inside(inside) || (addr % kGranule + size > kGranule && !two) || t.base == kNoBase ||
      t.hot->top[-1].node == 0 || !t.lockset_known || inner != 0) {
    return check_in_parts<is_write>(t, addr, size, pc, inner);
  }
  // As world.enter().
  t.inside.store(inside + kStay + 1, std::memory_order_relaxed);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  AtOnce a{addr, pc, size, t.hot->top[-1].node, false};
  const bool done = world.open() && !listener.hears(addr, addr + size) && !shadow.aliases.any() &&
                    (two ? granule_at_once<is_write, true>(t, a, addr, kGranule) &&
                               granule_at_once<is_write, true>(t, a, addr + kGranule, kGranule)
                         : (!is_write && has_read(t, addr, size)) ||
                               granule_at_once<is_write, true>(t, a, addr, size));
  t.inside.store(inside + kStay, std::memory_order_release);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (!done) return check_in_parts<is_write>(t, addr, size, pc, 0);
  if (t.delivery_wanted.load(std::memory_order_relaxed) != 0) [[unlikely]]
    world.deliver(t);
}

template void Detector::check_at_once<false>(Thread&, std::uint64_t, unsigned, std::uint64_t,
                                             std::uint64_t);
template void Detector::check_at_once<true>(Thread&, std::uint64_t, unsigned, std::uint64_t,
                                            std::uint64_t);

}  // namespace redflag::live
