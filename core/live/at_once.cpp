// An access that does not wait, by the shortest way there is.
//
// In short critical sections every epoch sees a few accesses of many instructions: nothing gathers,
// nothing repeats, memos are never hit. What remains is to find the history, see that it happened
// before, put this epoch in its place and note the access. So the usual cases are here in one piece:
// granules, halves (halves.cpp) and bytes (bytes.cpp) whose history is a pair that the thread knows,
// or one of several readers of which it is one (readers.cpp). The first that is different, and
// what comes after it, is left to the rules, which find it unchanged.
#include "core/live/detector.h"

namespace redflag::live {

// What becomes of the pair b; 0: the rules must say. The thread has its handles.
template <bool is_write>
[[gnu::always_inline]] inline std::uint32_t Detector::simply(Thread& t, std::uint32_t b) {
  constexpr std::uint64_t kSlotMask = kMaxSlots - 1;
  const std::uint64_t* const word = &pairs.word(b);
  const std::uint64_t me = t.clock.epoch.bits();
  const std::uint64_t w = *word & ~Pairs::kOwner;
  // A line is of one slot, as its first word says. Its owner knows all of it: what it read after was
  // known to it then, or was told of.
  if (((word[-static_cast<std::int64_t>(b % kLineSize)] ^ me) & kSlotMask) != 0) {
    const Epoch r = pairs.read_of(b);
    const bool known = r ? t.clock.covers(r) && (!is_write || t.clock.covers(Epoch::from_bits(w)))
                         : t.clock.covers(Epoch::from_bits(w));
    if (!known) return 0;
  }
  if (is_write) return t.base;
  return w == me ? b : read_after(t, Epoch::from_bits(w));
}

// remember(), in short: such accesses make no runs.
template <bool is_write>
[[gnu::always_inline]] inline void Detector::note_at_once(Thread& t, AtOnce& a) {
  if (a.context != 0) return;
  a.context = context(t, a.pc);
  if (t.moment != t.log_key) [[unlikely]] {
    t.moment = t.log_key;
    t.log.begin_moment(t.clock.epoch.clock(), lockset(t));
  }
  t.log.close(a.addr, a.size, is_write ? LogKind::kWrite : LogKind::kRead, a.context);
}

// The bytes [low, high) of a granule. False: the rules must do it.
template <bool is_write>
[[gnu::always_inline]] inline bool Detector::simple_part(Thread& t, AtOnce& a, std::uint64_t g,
                                                         unsigned low, unsigned high) {
  bool mine = false;
  Cell& cell = hold(t, g, mine);
  const std::uint32_t h = cell.load(std::memory_order_acquire);
  if (form(h) != Form::kSplit) {
    if (high - low != kGranule) return is_known(t, h, is_write);
    if (form(h) == Form::kPair) {
      const std::uint32_t to = simply<is_write>(t, h);
      if (to == h) return true;
      if (to == 0) return false;
      note_at_once<is_write>(t, a);
      return change(cell, h, to, mine);
    }
    if (is_write || form(h) != Form::kShared) return false;
    if (is_known(t, h, is_write)) return true;
    if (!is_own(h)) return false;
    note_at_once<is_write>(t, a);
    return read_own(t, h);
  }
  return is_halves(h) ? simple_halves<is_write>(t, a, h, low, high, mine)
                      : simple_bytes<is_write>(t, a, h, low, high, mine);
}

template <bool is_write>
[[gnu::noinline]] bool Detector::simple_halves(Thread& t, AtOnce& a, std::uint32_t h, unsigned low,
                                               unsigned high, bool mine) {
  if ((low | high) % 4 != 0) return false;
  const std::uint64_t now = halves[halves_index(h)].word.load(std::memory_order_acquire);
  std::uint64_t next = now;
  for (unsigned at = low * 8; at < high * 8; at += 32) {
    const auto b = static_cast<std::uint32_t>(now >> at);
    if (is_known(t, b, is_write)) continue;
    if (!is_write && is_own(b)) {
      note_at_once<is_write>(t, a);
      if (!read_own(t, b)) return false;
      continue;
    }
    if (form(b) != Form::kPair) return false;  // also where it is frozen
    const std::uint32_t to = simply<is_write>(t, b);
    if (to == 0) return false;
    next ^= std::uint64_t{b ^ to} << at;
  }
  if (next == now) return true;
  note_at_once<is_write>(t, a);
  return change_halves(h, now, next, mine);
}

template <bool is_write>
[[gnu::noinline]] bool Detector::simple_bytes(Thread& t, AtOnce& a, std::uint32_t h, unsigned low,
                                              unsigned high, bool mine) {
  if (!is_own_split(h) || high - low == kGranule) return false;
  for (unsigned k = low; k < high; ++k) {
    auto& byte = splits[split_index(h)].bytes[k];
    std::uint32_t b = byte.load(std::memory_order_acquire);
    if (is_known(t, b, is_write)) continue;
    if (!is_write && is_own(b)) {
      note_at_once<is_write>(t, a);
      if (!read_own(t, b)) return false;
      continue;
    }
    if (form(b) != Form::kPair) return false;  // also where it is frozen
    const std::uint32_t to = simply<is_write>(t, b);
    if (to == b) continue;
    if (to == 0) return false;
    note_at_once<is_write>(t, a);
    if (mine) {
      byte.store(to, std::memory_order_release);
    } else if (!byte.compare_exchange_strong(b, to, std::memory_order_acq_rel)) {
      return false;
    }
  }
  return true;
}

// From address `at` on.
void Detector::rest_by_rules(Thread& t, const AtOnce& one, LogKind kind, std::uint64_t inner,
                             std::uint64_t at) {
  Access a{one.addr, one.size, one.pc, kind};
  a.inner = inner;
  a.context = one.context;
  a.whole = true;
  a.alone = true;
  const std::uint64_t end = one.addr + one.size;
  if (at == one.addr) tell(t, a, at, end);
  if (end - at > 4 * std::uint64_t{kGranule}) {
    stretch(t, a, at, end);
  } else {
    while (at < end) {
      const std::uint64_t g = at / kGranule * kGranule;
      const std::uint64_t stop = end < g + kGranule ? end : g + kGranule;
      part(t, a, g, static_cast<unsigned>(at - g), static_cast<unsigned>(stop - g));
      at = stop;
    }
  }
  flush(t, a);
}

template <bool is_write>
void Detector::check_at_once(Thread& t, std::uint64_t addr, unsigned size, std::uint64_t pc,
                             std::uint64_t inner) {
  constexpr LogKind kKind = is_write ? LogKind::kWrite : LogKind::kRead;
  world.enter(t);
  AtOnce a{addr, pc, size, 0};
  std::uint64_t at = addr;
  const std::uint64_t end = addr + size;
  if (inner != 0 || size > 4 * kGranule || on_access != nullptr) [[unlikely]] {
    rest_by_rules(t, a, kKind, inner, at);
  } else {
    ensure_base(t);
    do {
      const std::uint64_t g = at / kGranule * kGranule;
      const std::uint64_t stop = end < g + kGranule ? end : g + kGranule;
      if (!simple_part<is_write>(t, a, g, static_cast<unsigned>(at - g),
                                 static_cast<unsigned>(stop - g))) {
        rest_by_rules(t, a, kKind, 0, at);
        break;
      }
      at = stop;
    } while (at < end);
  }
  world.leave(t);
  if (sweep_due()) [[unlikely]]
    sweep_if_due(t);
}

template void Detector::check_at_once<false>(Thread&, std::uint64_t, unsigned, std::uint64_t,
                                             std::uint64_t);
template void Detector::check_at_once<true>(Thread&, std::uint64_t, unsigned, std::uint64_t,
                                            std::uint64_t);

}  // namespace redflag::live
