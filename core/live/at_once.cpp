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

template <bool is_write>
void Detector::check_at_once(Thread& t, std::uint64_t addr, unsigned size, std::uint64_t pc,
                             std::uint64_t inner) {
  constexpr LogKind kind = is_write ? LogKind::kWrite : LogKind::kRead;
  const auto low = static_cast<unsigned>(addr % kGranule);
  world.enter(t);
  Cell& cell = shadow.get(addr);
  const bool mine = owns(t, addr);
  const std::uint32_t h = cell.load(std::memory_order_acquire);
  bool done = false;
  if (form(h) == Form::kPair && size == kGranule && low == 0) {
    const std::uint32_t to = simply<is_write>(t, h);
    done = to != 0 && (to == h || change(cell, h, to, mine));
  } else if (is_halves(h) && size == 4 && low % 4 == 0) {
    const std::uint64_t now = halves[halves_index(h)].word.load(std::memory_order_acquire);
    const std::uint32_t b = Halves::half(now, low / 4);
    if (form(b) == Form::kPair) {
      const std::uint32_t to = simply<is_write>(t, b);
      const std::uint64_t next = low == 0 ? Halves::word_of(to, Halves::half(now, 1))
                                          : Halves::word_of(Halves::half(now, 0), to);
      done = to == b || (to != 0 && change_halves(t, cell, h, now, next, mine));
    }
  }
  if (done) {
    // Later than it can be found by others, a little: who comes in between misses its place.
    std::uint32_t where = context(t, pc);
    if (inner != 0) where = contexts.child(arena, where, inner);
    t.log.close({addr, t.clock.epoch.clock(), where, lockset(t), 0, 1,
                 static_cast<std::uint16_t>(size), kind, 0, 0});
  } else {
    Access a{addr, size, pc, kind};
    a.inner = inner;
    a.whole = true;
    stretch(t, a, addr, addr + size);
    flush(t, a);
  }
  world.leave(t);
  sweep_if_due(t);
}

template void Detector::check_at_once<false>(Thread&, std::uint64_t, unsigned, std::uint64_t,
                                             std::uint64_t);
template void Detector::check_at_once<true>(Thread&, std::uint64_t, unsigned, std::uint64_t,
                                            std::uint64_t);

}  // namespace redflag::live
