// SlimFast's rules: what a history becomes when a thread reads or writes a location that has it.
//
// Each function is one or more rules of the dissertation's figures 3.3 and 3.5, named in apply().
// The check comes first: an epoch that the thread's clock does not cover is a race, which is
// reported; the update then happens all the same, as in FastTrack. The outcome of a check that
// found no race is memorised for the epoch: the thread's clock only grows, so what was ordered once
// stays ordered.
#include "core/detect/slimfast/access.h"
#include "core/detect/slimfast/slimfast.h"

namespace redflag::slimfast {

// ReadExclReuse and ReadExclAlloc: S_t by write epoch alone (section 3.3.4).
[[gnu::always_inline]] inline Handle SlimFast::read_exclusive(ThreadState& t, Epoch w) {
  ensure_base(t);
  const auto find = [&](std::uint32_t base, std::uint32_t used) -> std::uint32_t {
    const std::uint64_t* words = histories_.word(base);
    for (std::uint32_t i = 1; i < used; ++i) {
      if (words[i] == w.bits()) return base + i;
    }
    return 0;
  };
  std::uint32_t found = find(t.base, t.used);
  if (found == 0 && t.full_base != 0) found = find(t.full_base, t.full_used);
  if (found != 0) return apply(SlimRule::kReadExclReuse, make_handle(Form::kPair, found));
  if (t.used ==
      t.room) {  // goes on in a new line; of the full ones only the last is still searched
    ++s_overflows_;
    s_total_ += t.used - 1;
    t.full_base = t.base;
    t.full_used = t.used;
    take_handles(t);
  }
  histories_.set_write(t.base + t.used, w);
  return apply(SlimRule::kReadExclAlloc, make_handle(Form::kPair, t.base + t.used++));
}

[[gnu::always_inline]] inline Handle SlimFast::read_pair(ThreadState& t, const Context& at,
                                                         Handle h) {
  const Epoch w = histories_.pair_write(h);
  const Epoch r = histories_.pair_read(h);
  if (r == t.epoch) return apply(SlimRule::kReadSameEpoch, h);  // in an earlier line of this epoch
  if (w == t.epoch) return apply(SlimRule::kReadOwnWrite, h);
  if (r && t.clock->covers(r)) return read_exclusive(t, w);  // r was ordered after w: so are we
  if (!t.clock->covers(w)) race(t, at, w, EventKind::kWrite);
  return r ? inflate(t, r, w) : read_exclusive(t, w);
}

[[gnu::always_inline]] inline Handle SlimFast::read(ThreadState& t, const Context& at, Handle h) {
  switch (form(h)) {
    case Form::kPair:
      return read_pair(t, at, h);
    case Form::kShared:
      return read_shared(t, at, h);
    default:
      return mixed_access(t, at, h, Op::kRead);
  }
}

[[gnu::always_inline]] inline Handle SlimFast::write(ThreadState& t, const Context& at, Handle h) {
  switch (form(h)) {
    case Form::kPair: {
      const Epoch w = histories_.pair_write(h);
      const Epoch r = histories_.pair_read(h);
      // Another thread cannot have read in between without racing: what t wrote in this epoch is
      // published only by the epoch's end.
      if (w == t.epoch) return apply(SlimRule::kWriteSameEpoch, h);
      if (!t.clock->covers(w)) {
        race(t, at, w, EventKind::kWrite);
      } else if (!t.clock->covers(r)) {
        race(t, at, r, EventKind::kRead);
      }
      return apply(SlimRule::kWriteExcl, own_write(t));
    }
    case Form::kShared: {
      const SharedHistory& s = histories_.shared(h);
      if (!t.clock->covers(s.write)) {
        race(t, at, s.write, EventKind::kWrite);
      } else {
        for (std::uint32_t i = 0; i < s.readers; ++i) {
          if (t.clock->covers(s.reads()[i])) continue;
          race(t, at, s.reads()[i], EventKind::kRead);
          break;
        }
      }
      return apply(SlimRule::kWriteShared, own_write(t));
    }
    default:
      return mixed_access(t, at, h, Op::kWrite);
  }
}

// ReadInflReuse and ReadInflAlloc: the second of two unordered readers.
Handle SlimFast::inflate(ThreadState& t, Epoch r, Epoch w) {
  for (std::size_t i = 0; i < std::min<std::size_t>(t.q_size, kQSize); ++i) {
    if (t.q[i].reader == r && t.q[i].write == w) {
      return apply(SlimRule::kReadInflReuse, t.q[i].history);
    }
  }
  const Handle made = histories_.new_shared(w, r, t.epoch);
  t.q[t.q_size++ % kQSize] = {r, w, made};
  return apply(SlimRule::kReadInflAlloc, made);
}

Handle SlimFast::read_shared(ThreadState& t, const Context& at, Handle h) {
  const SharedHistory& s = histories_.shared(h);
  const Slot slot = t.epoch.slot();
  if (s.read_by(slot) == t.epoch) return apply(SlimRule::kReadSharedSameEpoch, h);
  if (!t.clock->covers(s.write)) race(t, at, s.write, EventKind::kWrite);
  const Handle next = histories_.next_of(s, slot);
  if (next != kNone && histories_.shared(next).read_by(slot) == t.epoch) {
    return apply(SlimRule::kReadSharedReuse, next);
  }
  return apply(SlimRule::kReadSharedAlloc, histories_.next_shared(h, t.epoch));
}

// Locations that atomics touch; see shadow/mixed_history.h for what is kept and why.
Handle SlimFast::mixed_access(ThreadState& t, const Context& at, Handle h, Op op) {
  // A plain write of this epoch conflicts with all that any other access of it could conflict with.
  if (form(h) == Form::kPair && histories_.pair_write(h) == t.epoch && !histories_.pair_read(h)) {
    return apply(SlimRule::kMixedSameEpoch, h);
  }
  const Mark mark = op == Op::kRead         ? Mark::kRead
                    : op == Op::kAtomicRead ? Mark::kAtomicRead
                                            : Mark::kAtomicWrite;
  if (form(h) == Form::kMixed && op != Op::kWrite && histories_.mixed(h).has(mark, t.epoch)) {
    return apply(SlimRule::kMixedSameEpoch, h);
  }
  MixedHistory* made = form(h) == Form::kMixed ? nullptr : to_mixed(h);
  const MixedHistory& history = made == nullptr ? histories_.mixed(h) : *made;
  Epoch earlier;
  EventKind kind{};
  if (history.race(*t.clock, writes(op), atomic(op), earlier, kind)) race(t, at, earlier, kind);
  Handle to = kNone;
  if (op == Op::kWrite) {
    to = apply(SlimRule::kMixedWrite, own_write(t));
  } else {
    to = apply(SlimRule::kMixedUpdate,
               histories_.new_mixed(history.with(options_.memory, mark, t.epoch)));
  }
  if (made != nullptr) made->destroy(options_.memory);
  return to;
}

// The plain history h as a mixed one, for the caller to destroy.
MixedHistory* SlimFast::to_mixed(Handle h) {
  if (form(h) == Form::kShared) {
    const SharedHistory& s = histories_.shared(h);
    return MixedHistory::make(options_.memory, s.write, s.reads(), s.readers);
  }
  const Epoch r = histories_.pair_read(h);
  return MixedHistory::make(options_.memory, histories_.pair_write(h), &r, r ? 1 : 0);
}

void SlimFast::race(const ThreadState& t, const Context& at, Epoch earlier, EventKind kind) {
  raced_ = true;
  races_.add(at.event, at.index, t.epoch, at.granule + at.low, at.high - at.low, earlier, kind);
}

template <SlimFast::Op op, SlimFast::Mode mode>
[[gnu::always_inline]] inline Handle SlimFast::transition(ThreadState& t, const Context& at,
                                                          Handle h) {
  raced_ = false;
  t.dirty = true;
  if constexpr (op == Op::kRead || op == Op::kWrite) {
    const Handle to = op == Op::kRead ? read(t, at, h) : write(t, at, h);
    if constexpr (mode == Mode::kShared) {
      if (!raced_) {
        (op == Op::kRead ? t.read_memo : t.write_memo)[memo_of(h)] = {h, to, reuse_of(last_rule_)};
        t.memorised = true;
      }
    }
    return to;
  } else {
    return mixed_access(t, at, h, op);
  }
}

// A page that is kept as one cell, touched as a whole: one transition for all of its bytes.
template <SlimFast::Op op>
void SlimFast::whole_page(ThreadState& t, Context& at, std::uint64_t page) {
  Handle& all = *shadow_.whole(page);
  at.granule = Addr{page * kPageBytes};
  at.low = 0;
  at.high = kPageBytes;  // what a race here covers
  if (!settled<op, Mode::kShared>(t, all)) all = transition<op, Mode::kShared>(t, at, all);
  races_.flush();
}
template void SlimFast::whole_page<SlimFast::Op::kRead>(ThreadState&, Context&, std::uint64_t);
template void SlimFast::whole_page<SlimFast::Op::kWrite>(ThreadState&, Context&, std::uint64_t);

template <SlimFast::Op op, SlimFast::Mode mode>
[[gnu::noinline]] void SlimFast::granule_slow(ThreadState& t, Context& at, Handle& cell) {
  if (cell == kInPairs) return paired<op, mode>(t, at);
  if (form(cell) != Form::kSplit) {
    const Handle to = transition<op, mode>(t, at, cell);
    if (at.high - at.low == kGranuleBytes) {
      cell = to;
      if constexpr (op == Op::kRead && mode == Mode::kDistinct) {
        // Not when `cell` stands for one that is kept as a pair already.
        if (last_rule_ == SlimRule::kReadExclAlloc && &cell == &shadow_cell(at.granule)) {
          pair_up(page_of(at.granule));
        }
      }
    } else if (to != cell) {
      set_bytes(cell, at.low, at.high, to);
    }
    return;
  }
  Split& split = histories_.split(cell);
  for (unsigned i = at.low; i < at.high;) {
    unsigned end = i + 1;
    while (end < at.high && split.bytes[end] == split.bytes[i]) ++end;
    Handle h = split.bytes[i];
    if (!settled<op, mode>(t, h)) {
      Context run = at;
      run.low = i;
      run.high = end;
      h = transition<op, mode>(t, run, h);
    }
    std::fill(split.bytes + i, split.bytes + end, h);
    i = end;
  }
  merge(cell);
}

template void SlimFast::granule_slow<SlimFast::Op::kRead, SlimFast::Mode::kShared>(ThreadState&,
                                                                                   Context&,
                                                                                   Handle&);
template void SlimFast::granule_slow<SlimFast::Op::kRead, SlimFast::Mode::kDistinct>(ThreadState&,
                                                                                     Context&,
                                                                                     Handle&);
template void SlimFast::granule_slow<SlimFast::Op::kWrite, SlimFast::Mode::kShared>(ThreadState&,
                                                                                    Context&,
                                                                                    Handle&);
template void SlimFast::granule_slow<SlimFast::Op::kWrite, SlimFast::Mode::kDistinct>(ThreadState&,
                                                                                      Context&,
                                                                                      Handle&);
template void SlimFast::granule_slow<SlimFast::Op::kAtomicRead, SlimFast::Mode::kShared>(
    ThreadState&, Context&, Handle&);
template void SlimFast::granule_slow<SlimFast::Op::kAtomicRead, SlimFast::Mode::kDistinct>(
    ThreadState&, Context&, Handle&);
template void SlimFast::granule_slow<SlimFast::Op::kAtomicWrite, SlimFast::Mode::kShared>(
    ThreadState&, Context&, Handle&);
template void SlimFast::granule_slow<SlimFast::Op::kAtomicWrite, SlimFast::Mode::kDistinct>(
    ThreadState&, Context&, Handle&);

}  // namespace redflag::slimfast
