// Plain accesses: the rules of SlimFast (dissertation, figures 3.3 and 3.6), one granule at a time.
#include "core/live/detector.h"

namespace redflag::live {
namespace {

constexpr bool wrote(LogKind k) {
  return k == LogKind::kWrite || k == LogKind::kAtomicWrite || k == LogKind::kFree;
}

// A miss costs about two cache misses, a hit saves a history: looking pays while one in four hits.
bool worth_looking(std::int32_t& count) {
  if (count >= 0) return true;
  ++count;  // from -1000 on: a thousand histories later it is tried again
  return false;
}
void found(std::int32_t& count, bool hit) {
  count += hit ? 3 : -1;
  if (count > 60) count = 60;
  if (count < 0) count = -1000;
}

constexpr std::uint64_t kLarge = 1U << 17;  // bytes from which shadow is given back page by page

}  // namespace

void Detector::publish(Thread& t) {
  if (t.everything_slow) return;
  t.hot->base = t.base;
  t.hot->room = t.room;
}

void Detector::take_handles(Thread& t) {
  if (t.line_next == 0) {
    t.line_next = pairs.take_line(arena);
    history_taken(kLineSize * sizeof(std::uint64_t));
  }
  t.base = t.line_next;
  t.room = kLineSize - t.base % kLineSize;
  t.used = 1;
  pairs.set_owner(t.base, t.clock.epoch);
  publish(t);
}

void Detector::ensure_base(Thread& t) {
  if (t.base == kNoBase) take_handles(t);
}

void Detector::advance(Thread& t) {
  t.clock.advance();
  if (t.base != kNoBase) {
    const std::uint32_t next = t.base + t.used;
    // The last word of a line alone would be a W_t without an S_t: a new line serves better.
    t.line_next = next % kLineSize == 0 || next % kLineSize == kLineSize - 1 ? 0 : next;
    t.base = kNoBase;
    t.room = 0;
    publish(t);
  }
  ++t.log_key;
  t.key += 1U << kShapeBits;
  if (t.key < 1U << kShapeBits) {  // around the clock: old memos must not come back to life
    for (Memo& m : t.memos) m = {};
    t.key = 1U << kShapeBits;
  }
}

// ReadExclReuse and ReadExclAlloc: S_t by write epoch alone (section 3.3.4).
std::uint32_t Detector::read_after(Thread& t, Epoch w) {
  ReadEntry& known = t.reads[(w.bits() ^ w.bits() >> 20) % kReadEntries];
  if (known.write == w.bits() && known.key == t.key) return known.handle;
  ensure_base(t);
  if (t.used == t.room) {  // goes on in a new line
    t.line_next = 0;
    take_handles(t);
  }
  pairs.set_write(t.base + t.used, w);
  known = {w.bits(), t.key, t.base + t.used};
  return t.base + t.used++;
}

std::uint32_t Detector::new_shared(Thread& t, Epoch w, const Epoch* reads, std::uint32_t n) {
  const bool look = worth_looking(t.shared_found);
  std::atomic<std::uint32_t>* known = nullptr;
  if (look) {
    std::uint64_t hash = w.bits();
    for (std::uint32_t k = 0; k < n; ++k) hash = (hash ^ reads[k].bits()) * 0x9e3779b97f4a7c15U;
    known = &known_shared[hash >> 50];
    if (const std::uint32_t i = known->load(std::memory_order_acquire); i != 0) {
      const SharedHistory& s = shared[i];
      bool same = s.write == w && s.readers == n;
      for (std::uint32_t k = 0; same && k < n; ++k) same = s.reads()[k] == reads[k];
      found(t.shared_found, same);
      if (same) return handle(Form::kShared, i);
    }
  }
  if (t.spare_shared.count == 0) {
    shared.take_many(arena, t.spare_shared.index, Spares::kMost);
    t.spare_shared.count = Spares::kMost;
    history_taken(sizeof(SharedHistory) * Spares::kMost);
  }
  const std::uint32_t i = t.spare_shared.index[--t.spare_shared.count];
  SharedHistory& s = shared[i];
  s.write = w;
  s.readers = n;
  s.many = nullptr;
  Epoch* to = s.few;
  if (n > SharedHistory::kInline) {
    s.many = static_cast<Epoch*>(arena.take(n * sizeof(Epoch)));
    to = s.many;
    history_taken(n * sizeof(Epoch));
  }
  for (std::uint32_t k = 0; k < n; ++k) to[k] = reads[k];
  if (known != nullptr) known->store(i, std::memory_order_release);
  return handle(Form::kShared, i);
}

std::uint32_t Detector::new_split(const std::uint32_t* bytes, Thread* t) {
  std::atomic<std::uint32_t>* known = nullptr;
  if (t != nullptr && worth_looking(t->splits_found)) {
    std::uint64_t hash = 0;
    for (unsigned k = 0; k < kGranule; ++k) hash = (hash ^ bytes[k]) * 0x9e3779b97f4a7c15U;
    known = &known_splits[hash >> 50];
    if (const std::uint32_t i = known->load(std::memory_order_acquire); i != 0) {
      const Split& s = splits[i];
      bool same = true;
      for (unsigned k = 0; k < kGranule; ++k) same = same && s.bytes[k] == bytes[k];
      found(t->splits_found, same);
      if (same) return handle(Form::kSplit, i);
    }
  }
  std::uint32_t i = 0;
  if (t == nullptr) {
    i = splits.take(arena);
    history_taken(sizeof(Split));
  } else {
    if (t->spare_splits.count == 0) {
      splits.take_many(arena, t->spare_splits.index, Spares::kMost);
      t->spare_splits.count = Spares::kMost;
      history_taken(sizeof(Split) * Spares::kMost);
    }
    i = t->spare_splits.index[--t->spare_splits.count];
  }
  for (unsigned k = 0; k < kGranule; ++k) splits[i].bytes[k] = bytes[k];
  if (known != nullptr) known->store(i, std::memory_order_release);
  return handle(Form::kSplit, i);
}

std::uint32_t Detector::with_bytes(std::uint32_t cell, unsigned low, unsigned high, std::uint32_t h,
                                   Thread* t) {
  std::uint32_t bytes[kGranule];
  bool same = true;
  for (unsigned k = 0; k < kGranule; ++k) {
    bytes[k] = k >= low && k < high ? h : handle_at(cell, k);
    same = same && bytes[k] == bytes[0];
  }
  return same ? bytes[0] : new_split(bytes, t);
}

Detector::Step Detector::read_shared(Thread& t, std::uint32_t h) {
  const SharedHistory& s = shared[index(h)];
  const Epoch me = t.clock.epoch;
  const Epoch* reads = s.reads();
  Step step;
  // Readers whose reads happen before this one need not be kept: what is ordered after this read
  // is ordered after theirs.
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < s.readers; ++i) {
    if (reads[i] == me) {
      step.to = h;
      return step;
    }
    if (!t.clock.covers(reads[i])) ++kept;
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
  std::uint32_t n = 0;
  for (std::uint32_t i = 0; i < s.readers; ++i) {
    if (!t.clock.covers(reads[i])) next[n++] = reads[i];
  }
  next[n++] = me;
  step.to = new_shared(t, s.write, next, n);
  if (next != local) arena.give(next, (kept + 1) * sizeof(Epoch));
  return step;
}

Detector::Step Detector::read(Thread& t, std::uint32_t h) {
  if (form(h) == Form::kShared) return read_shared(t, h);
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
    const Epoch reads[2] = {r, me};
    step.to = new_shared(t, w, reads, 2);
  } else {
    step.to = read_after(t, w);
  }
  return step;
}

Detector::Step Detector::write(Thread& t, std::uint32_t h) {
  Step step;
  if (form(h) == Form::kShared) {
    const SharedHistory& s = shared[index(h)];
    if (!t.clock.covers(s.write)) {
      step.earlier = s.write;
      step.earlier_wrote = true;
    } else {
      for (std::uint32_t i = 0; i < s.readers; ++i) {
        if (t.clock.covers(s.reads()[i])) continue;
        step.earlier = s.reads()[i];
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

// --- One access ----------------------------------------------------------------------------------

std::uint32_t Detector::log(Thread& t, std::uint64_t addr, std::uint16_t size, LogKind kind,
                            std::uint8_t flags, std::uint64_t pc) {
  const std::uint32_t where = context(t, pc);
  const std::uint32_t i = AccessLog::open_of(pc);
  AccessLog::Open& o = t.log.open(i);
  const std::uint32_t node = t.hot->top[-1].node;
  const std::uint32_t shape = AccessLog::shape_of(size, kind, flags);
  if (t.waits(i)) {  // another's: not to be mixed with this one
    t.log.add_range(addr, size, kind, t.clock.epoch.clock(), where, lockset(t));
    return where;
  }
  if (t.log.extend(o, pc, node, t.log_key, shape, addr)) return where;
  const bool same = o.pc == pc && o.node == node && o.key == t.log_key && o.shape == shape;
  if (same && t.log.learn_stride(o, addr)) return where;
  t.log.begin(o, pc, node, t.log_key,
              {addr, t.clock.epoch.clock(), where, lockset(t), 0, 1, size, kind, flags, 0});
  return where;
}

void Detector::remember(Thread& t, Access& a) {
  if (a.context != 0) return;
  if (a.size <= 16) {
    a.context = log(t, a.addr, static_cast<std::uint16_t>(a.size), a.kind, a.flags, a.pc);
  } else {
    a.context = context(t, a.pc);
    t.log.add_range(a.addr, a.size, a.kind, t.clock.epoch.clock(), a.context, lockset(t));
  }
}

void Detector::flush(Thread& t, Access& a) {
  if (a.race.size == 0) return;
  a.race.access_addr = a.addr;
  a.race.access_size = a.size;
  a.race.kind = a.kind;
  a.race.flags = a.flags;
  if (a.context == 0) a.context = context(t, a.pc);
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
    return;
  }
  flush(t, a);
  r.addr = addr;
  r.size = size;
  r.earlier = step.earlier;
  r.earlier_wrote = step.earlier_wrote;
  r.earlier_atomic = step.earlier_atomic;
}

// Some bytes of the granule differ. False: look again.
bool Detector::split_granule(Thread& t, Access& a, std::uint64_t g, Cell& cell, std::uint32_t h,
                             unsigned low, unsigned high, bool mine) {
  const bool is_write = wrote(a.kind);
  Step found[kGranule];
  unsigned first_of[kGranule + 1];
  unsigned runs = 0;
  std::uint32_t bytes[kGranule];
  const Split& split = splits[index(h)];
  for (unsigned k = 0; k < kGranule; ++k) bytes[k] = split.bytes[k];
  bool changed = false;
  bool raced = false;
  for (unsigned i = low; i < high;) {
    unsigned end = i + 1;
    while (end < high && split.bytes[end] == split.bytes[i]) ++end;
    if (form(split.bytes[i]) == Form::kMixed) return plain_on_record(t, a, g, cell, h, low, high);
    Step& s = found[runs];
    first_of[runs++] = i;
    s = is_write ? write(t, split.bytes[i]) : read(t, split.bytes[i]);
    raced = raced || s.earlier;
    changed = changed || s.to != split.bytes[i];
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
    if (!t.everything_slow) t.memos[memo_of(from, shape)] = {from, to, t.key | shape, 0};
    return true;
  }
  first_of[runs] = high;
  for (unsigned k = 0; k < runs; ++k) {
    note(t, a, g + first_of[k], first_of[k + 1] - first_of[k], found[k]);
  }
  return true;
}

void Detector::granule(Thread& t, Access& a, std::uint64_t g, unsigned low, unsigned high) {
  Cell& cell = shadow.get(g);
  const bool is_write = wrote(a.kind);
  const std::uint32_t shape = shape_of(is_write, low, high - low);
  for (;;) {
    const bool mine = owns(t, g);
    const std::uint32_t h = cell.load(std::memory_order_acquire);
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
    const Step step = is_write ? write(t, h) : read(t, h);
    std::uint32_t to = step.to;
    if (to != h) {
      if (high - low != kGranule) to = with_bytes(h, low, high, to, &t);
      remember(t, a);
      if (!change(cell, h, to, mine)) continue;
    }
    if (!step.earlier) {
      if (!t.everything_slow) memo = {h, to, t.key | shape, 0};
    } else {
      remember(t, a);
      note(t, a, g + low, high - low, step);
    }
    return;
  }
}

void Detector::access(Thread& t, std::uint64_t addr, unsigned size, bool is_write, std::uint64_t pc,
                      std::uint8_t flags) {
  world.enter(t);
  Access a{addr, size, pc, is_write ? LogKind::kWrite : LogKind::kRead, flags};
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
  if (kind == LogKind::kFree) flush_pending(t);
  world.enter(t);
  Access a{addr, size, pc, kind};
  const bool is_write = wrote(kind);
  const std::uint64_t end = addr + size;
  for (std::uint64_t at = addr; at < end;) {
    const std::uint64_t here = at / kGranule * kGranule;
    const std::uint64_t stop = end < here + kGranule ? end : here + kGranule;
    if (stop - at == kGranule) {
      const Cell* cell = shadow.find(here);
      const std::uint32_t h = cell == nullptr ? 0 : cell->load(std::memory_order_relaxed);
      const bool known = is_write ? h == t.base : h - t.base < t.room;
      // A large block's untouched parts stay without shadow: it is mostly never used again.
      if (known || (h == 0 && kind == LogKind::kFree && size >= kLarge)) {
        at = stop;
        continue;
      }
    }
    granule(t, a, here, static_cast<unsigned>(at - here), static_cast<unsigned>(stop - here));
    at = stop;
  }
  flush(t, a);
  world.leave(t);
  sweep_if_due(t);
}

// --- Runs that wait ----------------------------------------------------------------------------------

// A run begins, or its second access comes, or accesses are too scattered to wait for more.
void Detector::wait_or_check(Thread& t, std::uint64_t addr, unsigned size, bool is_write,
                             std::uint64_t pc) {
  constexpr std::uint8_t kScattered = 8;
  const std::uint32_t i = AccessLog::open_of(pc);
  AccessLog::Open& o = t.log.open(i);
  const LogKind kind = is_write ? LogKind::kWrite : LogKind::kRead;
  const auto small = static_cast<std::uint16_t>(size);
  const std::uint32_t shape = AccessLog::shape_of(small, kind, 0);
  const bool same = o.pc == pc && o.node == t.hot->top[-1].node && o.key == t.log_key &&
                    o.shape == shape && o.node != 0;
  if (same && t.waits(i) && t.log.learn_stride(o, addr)) return;
  if (t.waits(i)) {
    std::uint8_t& scattered = t.scattered[i];
    scattered = !same || o.run.count > 2 ? 0 : static_cast<std::uint8_t>(scattered + 1);
    check_waiting(t, i);
  }
  world.enter(t);
  const std::uint32_t where = context(t, pc);
  const Run run{addr, t.clock.epoch.clock(), where, lockset(t), 0, 1, small, kind, 0, 0};
  if (same && t.scattered[i] >= kScattered) {
    // Comes back here each time; every so often it is tried again whether runs form.
    if (++t.scattered[i] == 255) t.scattered[i] = 0;
    t.log.close(run);
    Access a{addr, size, pc, kind, 0, where};
    stretch(t, a, addr, addr + size);
    flush(t, a);
  } else {
    t.log.begin(o, pc, t.hot->top[-1].node, t.log_key, run);
    t.set_waiting(i);
  }
  world.leave(t);
  sweep_if_due(t);
}

void Detector::flush_all(Thread& t) {
  for (std::uint32_t w = 0; w < AccessLog::kOpen / 64 && t.waiting_count != 0; ++w) {
    while (t.waiting[w] != 0) {
      check_waiting(t, w * 64 + static_cast<std::uint32_t>(__builtin_ctzll(t.waiting[w])));
    }
  }
  sweep_if_due(t);
}

// Checks run i, together with those that fill the gaps between its accesses: an unrolled loop is
// several instructions that take turns. What is checked does not grow any more.
void Detector::check_waiting(Thread& t, std::uint32_t i) {
  const auto taken = [&](std::uint32_t k) -> const Run& {
    t.clear_waiting(k);
    t.log.open(k).key = 0;
    return t.log.open(k).run;
  };
  const std::uint64_t pc = t.log.open(i).pc;
  const Run run = taken(i);
  Access a{run.first, run.size, pc, run.kind, run.flags, run.context};
  auto stride = static_cast<std::int64_t>(run.stride);
  std::uint64_t low = run.first;
  const std::uint32_t count = stride == 0 ? 1 : run.count;
  if (stride < 0 && count > 1) {  // backwards is forwards from the other end
    low += static_cast<std::uint64_t>(stride * (count - 1));
    stride = -stride;
  }
  std::uint64_t high = low + run.size;
  const auto step = static_cast<std::uint64_t>(stride);
  if (run.stride > run.size && count > 1) {
    for (bool grew = true; grew && high - low < step;) {
      grew = false;
      for (std::uint32_t w = 0; w < AccessLog::kOpen / 64; ++w) {
        for (std::uint64_t bits = t.waiting[w]; bits != 0; bits &= bits - 1) {
          const std::uint32_t k = w * 64 + static_cast<std::uint32_t>(__builtin_ctzll(bits));
          const Run& other = t.log.open(k).run;
          if (other.stride != run.stride || other.count != run.count || other.kind != run.kind ||
              (other.first != high && other.first + other.size != low)) {
            continue;
          }
          if (other.first == high) {
            high += other.size;
          } else {
            low = other.first;
          }
          taken(k);
          a.context = kInLog;
          grew = true;
        }
      }
    }
  }
  world.enter(t);
  if (count == 1 || high - low >= step) {
    stretch(t, a, low, high + step * (count - 1));
  } else {
    column(t, a, low, high, step, count);
  }
  flush(t, a);
  world.leave(t);
}

// [low, high), and the same every `step` bytes, `count` times in all.
void Detector::column(Thread& t, Access& a, std::uint64_t low, std::uint64_t high,
                      std::uint64_t step, std::uint32_t count) {
  const auto first = static_cast<unsigned>(low % kGranule);
  const auto size = static_cast<unsigned>(high - low);
  if (step % kGranule != 0 || first + size > kGranule) {
    for (std::uint32_t k = 0; k < count; ++k) stretch(t, a, low + k * step, high + k * step);
    return;
  }
  const bool is_write = wrote(a.kind);
  const std::uint32_t shape = shape_of(is_write, first, size);
  std::uint64_t block = 0;  // for which `mine` is right
  bool mine = false;
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  bool known = false;  // from -> to
  for (std::uint32_t k = 0; k < count; ++k) {
    const std::uint64_t g = low - first + k * step;
    Cell& cell = shadow.get(g);
    if (g >> kBlockShift != block) {
      mine = owns(t, g);
      block = g >> kBlockShift;
      known = false;  // it may have stepped out
    }
    const std::uint32_t h = cell.load(std::memory_order_acquire);
    if (known && h == from) [[likely]] {
      if (to == h || change(cell, h, to, mine)) continue;
    } else if (is_write ? h == t.base : h - t.base < t.room) {
      continue;
    } else if (const Memo& m = t.memos[memo_of(h, shape)];
               m.from == h && m.key == (t.key | shape)) {
      from = h;
      to = m.to;
      known = true;
      if (to == h || change(cell, h, to, mine)) continue;
    }
    a.addr = g + first;
    a.size = size;
    granule(t, a, g, first, first + size);
    block = 0;  // the rules may have stepped out
    known = false;
  }
}

// All of [begin, end), accessed alike: neighbours with the same history become the same.
void Detector::stretch(Thread& t, Access& a, std::uint64_t begin, std::uint64_t end) {
  const bool is_write = wrote(a.kind);
  const std::uint32_t shape = shape_of(is_write, 0, kGranule);
  std::uint64_t at = begin;
  while (at < end) {
    const std::uint64_t here = at / kGranule * kGranule;
    if (at != here || end - at < kGranule) {
      const std::uint64_t stop = end < here + kGranule ? end : here + kGranule;
      a.addr = at;
      a.size = stop - at;
      granule(t, a, here, static_cast<unsigned>(at - here), static_cast<unsigned>(stop - here));
      at = stop;
      continue;
    }
    // Whole granules, to the end of the block, as long as it goes on simply.
    const std::uint64_t block_end = (at >> kBlockShift << kBlockShift) + (1U << kBlockShift);
    const std::uint64_t stop =
        end / kGranule * kGranule < block_end ? end / kGranule * kGranule : block_end;
    Cell* cell = &shadow.get(at);
    const bool mine = owns(t, at);
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    bool known = false;  // from -> to
    for (; at < stop; at += kGranule, ++cell) {
      const std::uint32_t h = cell->load(std::memory_order_acquire);
      if (known && h == from) [[likely]] {
        if (to == h || change(*cell, h, to, mine)) continue;
        break;
      }
      if (is_write ? h == t.base : h - t.base < t.room) continue;
      const Memo& m = t.memos[memo_of(h, shape)];
      if (m.from != h || m.key != (t.key | shape)) break;
      from = h;
      to = m.to;
      known = true;
      if (to != h && !change(*cell, h, to, mine)) break;
    }
    if (at < stop) {  // the rules must decide
      a.addr = at;
      a.size = kGranule;
      granule(t, a, at, 0, kGranule);
      at += kGranule;
    }
  }
}

// --- Memory with a new life ------------------------------------------------------------------------

void Detector::forget(std::uint64_t addr, std::uint64_t size) {
  if (size == 0 || addr >= kAddressLimit) return;
  if (size >= kLarge) return shadow.clear(addr, size);  // records in it are found by the next sweep
  const std::uint64_t end = addr + size;
  for (std::uint64_t at = addr / kGranule * kGranule; at < end; at += kGranule) {
    Cell* cell = shadow.find(at);
    if (cell == nullptr) {
      at = (at / kRegionBytes + 1) * kRegionBytes - kGranule;
      continue;
    }
    if (cell->load(std::memory_order_relaxed) == 0) continue;
    const std::uint32_t h = cell->exchange(0, std::memory_order_acq_rel);
    if (form(h) >= Form::kMixed) drop_records(at, kGranule, cell, h);
  }
}

void Detector::made(Thread& t, std::uint64_t addr, std::uint64_t size, std::uint64_t pc) {
  if (size == 0) return;
  flush_pending(t);
  if (size >= kLarge) {
    world.enter(t);
    forget(addr, size);
    world.leave(t);
    return;
  }
  world.enter(t);
  ensure_base(t);
  Access a{addr, size, pc, LogKind::kWrite};
  remember(t, a);
  const std::uint64_t end = addr + size;
  const std::uint32_t own = t.base;
  for (std::uint64_t at = addr / kGranule * kGranule; at < end; at += kGranule) {
    Cell& cell = shadow.get(at);
    const bool mine = owns(t, at);
    const std::uint32_t h = cell.load(std::memory_order_relaxed);
    if (h == own) continue;
    if (mine && form(h) < Form::kMixed) {
      cell.store(own, std::memory_order_release);
    } else {
      const std::uint32_t old = cell.exchange(own, std::memory_order_acq_rel);
      if (form(old) >= Form::kMixed) drop_records(at, kGranule, &cell, old);
    }
  }
  world.leave(t);
  sweep_if_due(t);
}

}  // namespace redflag::live
