// The rules of SlimFast (dissertation, figures 3.3 and 3.6): what a read or a write makes of a
// history, and what it races with.
//
// Pairs and shared histories only: splits are taken apart by the caller (access.cpp), and bytes with
// atomics have rules of their own (atomic.cpp). After a race the history goes on as if the two had
// been ordered, so that a byte's first race is always found and later ones may be missed.
#include "core/live/detector.h"

namespace redflag::live {

Detector::Step Detector::read_shared(Thread& t, std::uint32_t h, bool may_own) {
  settle(h);
  SharedHistory& s = shared[shared_index(h)];
  const Epoch me = t.clock.epoch;
  Step step;
  // Readers whose reads happen before this one need not be kept: what is ordered after this read
  // is ordered after theirs.
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < s.readers; ++i) {
    if (s.read(i) == me) {
      step.to = h;
      return step;
    }
    if (!t.clock.covers(s.read(i))) ++kept;
  }
  if (!t.clock.covers(s.write)) {
    step.earlier = s.write;
    step.earlier_wrote = true;
  }
  if (kept == 0) {
    step.to = read_after(t, s.write);
    return step;
  }
  constexpr std::uint32_t kLocal = 32;
  Epoch local[kLocal];
  Epoch* next = local;
  if (kept + 1 > kLocal) next = static_cast<Epoch*>(arena.take((kept + 1) * sizeof(Epoch)));
  // By slot: the same readers in another order are the same history.
  std::uint32_t n = 0;
  bool placed = false;
  for (std::uint32_t i = 0; i < s.readers; ++i) {
    if (t.clock.covers(s.read(i))) continue;
    if (!placed && me.slot() < s.read(i).slot()) {
      next[n++] = me;
      placed = true;
    }
    next[n++] = s.read(i);
  }
  if (!placed) next[n++] = me;
  step.to = new_shared(t, s.write, next, n, may_own);
  if (next != local) arena.give(next, (kept + 1) * sizeof(Epoch));
  return step;
}

Detector::Step Detector::read(Thread& t, std::uint32_t h, bool may_own) {
  if (form(h) == Form::kShared) return read_shared(t, h, may_own);
  Step step;
  const Epoch me = t.clock.epoch;
  const Epoch w = pairs.write_of(h);
  const Epoch r = pairs.read_of(h);
  if (r == me || w == me) {  // also in an earlier line of this epoch
    step.to = h;
    return step;
  }
  if (r && t.clock.covers(r)) {  // r was ordered after w, or was reported: so are we
    step.to = read_after(t, w);
    return step;
  }
  if (!t.clock.covers(w)) {
    step.earlier = w;
    step.earlier_wrote = true;
  }
  if (r) {
    const bool first = me.slot() < r.slot();
    const Epoch reads[2] = {first ? me : r, first ? r : me};
    step.to = new_shared(t, w, reads, 2, may_own);
  } else {
    step.to = read_after(t, w);
  }
  return step;
}

Detector::Step Detector::write(Thread& t, std::uint32_t h) {
  Step step;
  if (form(h) == Form::kShared) {
    settle(h);
    SharedHistory& s = shared[shared_index(h)];
    if (!t.clock.covers(s.write)) {
      step.earlier = s.write;
      step.earlier_wrote = true;
    } else {
      for (std::uint32_t i = 0; i < s.readers; ++i) {
        if (t.clock.covers(s.read(i))) continue;
        step.earlier = s.read(i);
        break;
      }
    }
  } else {
    const Epoch w = pairs.write_of(h);
    const Epoch r = pairs.read_of(h);
    if (w == t.clock.epoch && !r) {
      step.to = h;
      return step;
    }
    if (!t.clock.covers(w)) {
      step.earlier = w;
      step.earlier_wrote = true;
    } else if (r && !t.clock.covers(r)) {
      step.earlier = r;
    }
  }
  ensure_base(t);
  step.to = t.base;
  return step;
}

}  // namespace redflag::live
