// An access that does not wait, by the shortest way there is.
//
// In short critical sections every epoch sees a few accesses of many instructions: nothing gathers,
// nothing repeats, memos are never hit. What remains is to find the history, see that it happened
// before, put this epoch in its place and note the access. So the usual case is here in one piece: a
// whole granule, or a half that goes its own way (halves.cpp), whose history is a pair that the
// thread knows. Everything else is left to the rules, which find it unchanged.
#include "core/live/detector.h"

namespace redflag::live {

// What becomes of b, a pair; 0: the rules must say.
template <bool is_write>
[[gnu::always_inline]] inline std::uint32_t Detector::simply(Thread& t, std::uint32_t b) {
  const Epoch w = pairs.write_of(b);
  const Epoch r = pairs.read_of(b);
  const ThreadClock& c = t.clock;
  if (is_write) {
    if (!c.covers(w) || (r && !c.covers(r))) return 0;
    ensure_base(t);
    return t.base;
  }
  if (r == c.epoch || w == c.epoch) return b;
  if (r ? !c.covers(r) : !c.covers(w)) return 0;
  return read_after(t, w);
}

// remember(), in short: such accesses make no runs.
[[gnu::always_inline]] inline void Detector::note_at_once(Thread& t, Access& a) {
  if (a.context != 0) return;
  const std::uint32_t i = AccessLog::open_of(a.pc) ^ (a.inner != 0 && wrote(a.kind) ? 1 : 0);
  const AccessLog::Open& o = t.log.open(i);
  if (o.pc == a.pc && o.node == t.hot->top[-1].node) [[likely]] {
    a.context = t.log.run(i).context;  // of the run that this instruction made last
  } else {
    a.context = context(t, a.pc);
    if (a.inner != 0) a.context = contexts.child(arena, a.context, a.inner);
  }
  t.log.close({a.addr, t.clock.epoch.clock(), a.context, t.lockset_known ? t.lockset : lockset(t),
               0, 1, static_cast<std::uint16_t>(a.size), a.kind, a.flags, 0});
}

// The bytes [low, high) of a granule. False: nothing was done.
template <bool is_write>
[[gnu::always_inline]] inline bool Detector::simple_part(Thread& t, Access& a, std::uint64_t g,
                                                         unsigned low, unsigned high) {
  bool mine = false;
  Cell& cell = hold(t, g, mine);
  const std::uint32_t h = cell.load(std::memory_order_acquire);
  if (form(h) == Form::kPair) {
    if (high - low != kGranule) return false;
    const std::uint32_t to = simply<is_write>(t, h);
    if (to == h) return true;
    if (to == 0) return false;
    note_at_once(t, a);
    return change(cell, h, to, mine);
  }
  if (!is_write && is_own(h) && high - low == kGranule) {
    note_at_once(t, a);
    return read_own(t, h);
  }
  if (is_own_split(h) && high - low == 1) {
    auto& byte = splits[split_index(h)].bytes[low];
    std::uint32_t b = byte.load(std::memory_order_acquire);
    if (!is_write && is_own(b)) {
      note_at_once(t, a);
      return read_own(t, b);
    }
    if (form(b) != Form::kPair) return false;
    const std::uint32_t to = simply<is_write>(t, b);
    if (to == b) return true;
    if (to == 0) return false;
    note_at_once(t, a);
    if (!mine) return byte.compare_exchange_strong(b, to, std::memory_order_acq_rel);
    byte.store(to, std::memory_order_release);
    return true;
  }
  if (!is_halves(h) || high - low != 4 || low % 4 != 0) return false;
  const std::uint64_t now = halves[halves_index(h)].word.load(std::memory_order_acquire);
  const std::uint32_t b = Halves::half(now, low / 4);
  if (!is_write && is_own(b)) {
    note_at_once(t, a);
    return read_own(t, b);
  }
  if (form(b) != Form::kPair) return false;
  const std::uint32_t to = simply<is_write>(t, b);
  if (to == b) return true;
  if (to == 0) return false;
  note_at_once(t, a);
  return change_halves(h, now,
                       low == 0 ? Halves::word_of(to, Halves::half(now, 1))
                                : Halves::word_of(Halves::half(now, 0), to),
                       mine);
}

template <bool is_write>
void Detector::check_at_once(Thread& t, std::uint64_t addr, unsigned size, std::uint64_t pc,
                             std::uint64_t inner) {
  world.enter(t);
  Access a{addr, size, pc, is_write ? LogKind::kWrite : LogKind::kRead};
  a.inner = inner;
  a.whole = true;
  a.alone = true;
  tell(t, a, addr, addr + size);
  const auto low = static_cast<unsigned>(addr % kGranule);
  const std::uint64_t g = addr - low;
  const unsigned end = low + size;
  if (end > 2 * kGranule) {
    stretch(t, a, addr, addr + size);
  } else {
    const unsigned here = end < kGranule ? end : kGranule;
    if (!simple_part<is_write>(t, a, g, low, here)) part(t, a, g, low, here);
    if (end > kGranule && !simple_part<is_write>(t, a, g + kGranule, 0, end - kGranule)) {
      part(t, a, g + kGranule, 0, end - kGranule);
    }
  }
  flush(t, a);
  world.leave(t);
  sweep_if_due(t);
}

template void Detector::check_at_once<false>(Thread&, std::uint64_t, unsigned, std::uint64_t,
                                             std::uint64_t);
template void Detector::check_at_once<true>(Thread&, std::uint64_t, unsigned, std::uint64_t,
                                            std::uint64_t);

}  // namespace redflag::live
