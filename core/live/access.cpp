// Plain accesses, one granule at a time: find the history, apply the rule, change the cell, and note
// what was found.
//
// A change that another thread made first means looking again. A race is told only after the change
// took effect, neighbours joined into one. Each access that changes something is in the log before
// it can be found by others.
#include "core/live/detector.h"

namespace redflag::live {

std::uint32_t Detector::log(Thread& t, std::uint64_t addr, std::uint16_t size, LogKind kind,
                            std::uint8_t flags, std::uint64_t pc, std::uint64_t inner) {
  std::uint32_t where = context(t, pc);
  if (inner != 0) where = contexts.child(arena, where, inner);
  if (!keeps_log()) return where;
  const std::uint32_t i = AccessLog::open_of(pc);
  const Run run{addr, t.clock.epoch.clock(), where, lockset(t), 0, 1, size, kind, flags, 0};
  if (t.waits(i) || t.log.open(i).at_once != 0) {  // not to be mixed with another; or not a run
    t.log.close(run);
  } else {
    t.log.note(i, pc, t.hot->top[-1].node, t.log_key, run);
  }
  return where;
}

void Detector::remember(Thread& t, Access& a) {
  if (a.context != 0) return;
  if (a.size <= 16) {
    a.context = log(t, a.addr, static_cast<std::uint16_t>(a.size), a.kind, a.flags, a.pc, a.inner);
  } else {
    a.context = context(t, a.pc);
    if (a.inner != 0) a.context = contexts.child(arena, a.context, a.inner);
    if (keeps_log()) {
      t.log.add_range(a.addr, a.size, a.kind, t.clock.epoch.clock(), a.context, lockset(t));
    }
  }
}

void Detector::flush(Thread& t, Access& a) {
  if (a.race.size == 0) return;
  a.race.kind = a.kind;
  a.race.flags = a.flags;
  remember(t, a);
  a.race.context = a.context;
  if (a.context == kInLog) {
    Run run;
    a.race.context = 0;
    if (t.log.find(t.clock.epoch.clock(), wrote(a.kind), false, a.race.addr, a.race.size, run,
                   a.race.access_addr)) {
      a.race.context = run.context;
      a.race.access_size = run.size;
    }
  }
  on_race(t, a.race);
  a.race.size = 0;
}

void Detector::note(Thread& t, Access& a, std::uint64_t addr, std::uint64_t size,
                    const Step& step) {
  if (!step.earlier) return;
  LiveRace& r = a.race;
  if (r.size != 0 && r.addr + r.size == addr && r.earlier == step.earlier &&
      r.earlier_wrote == step.earlier_wrote && r.earlier_atomic == step.earlier_atomic) {
    r.size += size;
    if (a.addr + a.size > r.access_addr + r.access_size) {
      r.access_size = a.addr + a.size - r.access_addr;
    }
    return;
  }
  flush(t, a);
  r.addr = addr;
  r.size = size;
  r.earlier = step.earlier;
  r.earlier_wrote = step.earlier_wrote;
  r.earlier_atomic = step.earlier_atomic;
  r.access_addr = a.addr;
  r.access_size = a.size;
}

// Some bytes of the granule differ. False: look again.
bool Detector::split_granule(Thread& t, Access& a, std::uint64_t g, Cell& cell, std::uint32_t h,
                             unsigned low, unsigned high, bool mine) {
  const bool is_write = wrote(a.kind);
  Step found[kGranule];
  unsigned first_of[kGranule + 1];
  unsigned runs = 0;
  std::uint32_t bytes[kGranule];
  std::uint32_t was[kGranule];
  for (unsigned k = 0; k < kGranule; ++k) {
    bytes[k] = was[k] = splits[split_index(h)].bytes[k].load(std::memory_order_relaxed);
  }
  bool changed = false;
  bool raced = false;
  for (unsigned i = low; i < high;) {
    unsigned end = i + 1;
    while (end < high && was[end] == was[i]) ++end;
    if (form(was[i]) == Form::kMixed) return plain_on_record(t, a, g, cell, h, low, high);
    Step& s = found[runs];
    first_of[runs++] = i;
    s = is_write ? write(t, was[i]) : read(t, was[i], false);
    raced = raced || s.earlier;
    changed = changed || s.to != was[i];
    for (unsigned k = i; k < end; ++k) bytes[k] = s.to;
    i = end;
  }
  std::uint32_t to = h;
  if (changed) {
    bool same = true;
    for (unsigned k = 1; k < kGranule; ++k) same = same && bytes[k] == bytes[0];
    to = same ? bytes[0] : new_split(bytes, &t);
  }
  if (to != h || raced) remember(t, a);
  const std::uint32_t from = h;
  if (to != h && !change(cell, h, to, mine)) return false;
  if (!raced) {
    const std::uint32_t shape = shape_of(is_write, low, high - low);
    if (!t.everything_slow && !is_halves(to) && !is_own_split(to)) {
      t.memos[memo_of(from, shape)] = {from, to, t.key | shape, 0};
    }
    return true;
  }
  first_of[runs] = high;
  for (unsigned k = 0; k < runs; ++k) {
    note(t, a, g + first_of[k], first_of[k + 1] - first_of[k], found[k]);
  }
  return true;
}

// Is the granule one of many that are read alike? Then so was the one beside it: it still has the same
// history, or one that it shares with others.
bool Detector::is_one_of_many(std::uint64_t g, const Cell& cell, std::uint32_t h) {
  const Cell* const beside = &cell + (g / kGranule % 2 == 0 ? 1 : -1);
  const std::uint32_t other = beside->load(std::memory_order_relaxed);
  return other == h || (form(other) == Form::kShared && !is_own(other));
}

void Detector::granule(Thread& t, Access& a, std::uint64_t g, unsigned low, unsigned high) {
  const bool is_write = wrote(a.kind);
  const std::uint32_t shape = shape_of(is_write, low, high - low);
  for (;;) {
    bool mine = false;
    Cell& cell = hold(t, g, mine);
    const std::uint32_t h = cell.load(std::memory_order_acquire);
    if (is_halves(h)) {
      if (halves_granule(t, a, g, cell, h, low, high, mine)) return;
      continue;
    }
    if (is_own(h) && !is_write && high - low == kGranule && !t.everything_slow) {
      remember(t, a);
      if (read_own(t, h)) return;
    }
    if (is_own_split(h)) {
      if (bytes_granule(t, a, g, cell, h, low, high, mine)) return;
      continue;
    }
    Memo& memo = t.memos[memo_of(h, shape)];
    if (memo.from == h && memo.key == (t.key | shape)) {
      if (memo.to == h) return;
      remember(t, a);
      if (change(cell, h, memo.to, mine)) return;
      continue;
    }
    ++t.slow_accesses;
    if (form(h) == Form::kSplit) {
      if (split_granule(t, a, g, cell, h, low, high, mine)) return;
      continue;
    }
    if (form(h) == Form::kMixed) {
      if (plain_on_record(t, a, g, cell, h, low, high)) return;
      continue;
    }
    const Step step =
        is_write ? write(t, h)
                 : read(t, h, a.alone && high - low == kGranule && !is_one_of_many(g, cell, h));
    std::uint32_t to = step.to;
    if (to != h) {
      if (high - low != kGranule) to = with_bytes(h, low, high, to, &t);
      remember(t, a);
      if (!change(cell, h, to, mine)) continue;
    }
    if (!step.earlier) {
      if (!t.everything_slow && !is_halves(to) && !is_own(to) && !is_own_split(to))
        memo = {h, to, t.key | shape, 0};
      if (!is_write) know_shared(t, to);
    } else {
      remember(t, a);
      note(t, a, g + low, high - low, step);
    }
    return;
  }
}

void Detector::access(Thread& t, std::uint64_t addr, unsigned size, bool is_write, std::uint64_t pc,
                      std::uint8_t flags) {
  if (is_left_out(t, addr, size)) return;
  world.enter(t);
  Access a{addr, size, pc, is_write ? LogKind::kWrite : LogKind::kRead, flags};
  tell(t, a, addr, addr + size);
  const std::uint64_t g = addr / kGranule * kGranule;
  const auto low = static_cast<unsigned>(addr - g);
  if (low + size <= kGranule) {
    granule(t, a, g, low, low + size);
  } else {
    std::uint64_t at = addr;
    for (const std::uint64_t end = addr + size; at < end;) {
      const std::uint64_t here = at / kGranule * kGranule;
      const std::uint64_t stop = end < here + kGranule ? end : here + kGranule;
      granule(t, a, here, static_cast<unsigned>(at - here), static_cast<unsigned>(stop - here));
      at = stop;
    }
  }
  flush(t, a);
  world.leave(t);
  sweep_if_due(t);
}

void Detector::range(Thread& t, std::uint64_t addr, std::uint64_t size, LogKind kind,
                     std::uint64_t pc) {
  if (size == 0) return;
  if (kind == LogKind::kFree) flush_touching(t, addr, size);
  if (is_left_out(t, addr, size)) return;
  if (size <= Brief::kMostBytes && kind != LogKind::kFree) {
    return kind == LogKind::kWrite
               ? check_in_parts<true>(t, addr, static_cast<unsigned>(size), pc)
               : check_in_parts<false>(t, addr, static_cast<unsigned>(size), pc);
  }
  world.enter(t);
  Access a{addr, size, pc, kind};
  a.whole = true;
  a.alone = size <= std::uint64_t{8} * kGranule;
  const std::uint64_t end = addr + size;
  a.leaves_mark = listener.needs_cells(size);
  tell(t, a, addr, end);
  if (!a.leaves_mark) {
    // That is all.
  } else if (kind != LogKind::kFree || size < kLarge) {
    stretch(t, a, addr, end);
  } else {
    touched_only(t, a, addr, end);
  }
  flush(t, a);
  world.leave(t);
  sweep_if_due(t);
}

}  // namespace redflag::live
