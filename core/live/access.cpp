// Plain accesses: from an address to granules, and from what a granule's check has found to races.
//
// Each access that changes a cell is in the thread's log before the thread leaves the detector. Who
// finds a race with it a moment earlier waits for that (rt/report.cpp). A race is reported after the
// access has taken effect, neighbouring bytes joined into one.
#include "core/live/detector.h"

namespace redflag::live {

using Step = Cells<LinearMemory>::Step;

void Detector::note(Thread& t, Access& a) {
  ++t.slow_accesses;
  if (listener.is_all) return;  // it is before all that another thread will do
  if (a.size <= Brief::kMostBytes) {
    std::uint32_t node = node_of(t);
    std::uint64_t pc = a.pc;
    if (a.inner != 0) {
      node = child_of(t, node, pc);
      pc = a.inner;
    }
    t.log.add(Brief{Brief::what_of(a.addr, static_cast<unsigned>(a.size), a.kind, a.flags), pc,
                    t.clock.epoch.clock(), node, lockset(t)});
    return;
  }
  a.context = context(t, a.pc);
  if (a.inner != 0) a.context = contexts.child(arena, a.context, a.inner);
  constexpr std::uint64_t kMost = 1U << 31;
  for (std::uint64_t done = 0; done < a.size; done += kMost) {
    const std::uint64_t n = a.size - done < kMost ? a.size - done : kMost;
    t.log.add(Run{.first = a.addr + done,
                  .clock = t.clock.epoch.clock(),
                  .context = a.context,
                  .locks = lockset(t),
                  .count = static_cast<std::uint32_t>(n),
                  .kind = a.kind,
                  .flags = a.flags});
  }
}

void Detector::flush(Thread& t, Access& a) {
  if (a.race.size == 0) return;
  if (a.context == 0) {
    a.context = context(t, a.pc);
    if (a.inner != 0) a.context = contexts.child(arena, a.context, a.inner);
  }
  a.race.kind = a.kind;
  a.race.flags = a.flags;
  a.race.context = a.context;
  on_race(t, a.race);
  a.race.size = 0;
}

void Detector::note_race(Thread& t, Access& a, std::uint64_t addr, std::uint64_t size,
                         const Found& step) {
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
  r.access_addr = a.addr;
  r.access_size = a.size;
}

namespace {
// Calls f(first, end) for each run of bytes in the entry.
template <typename F>
void for_each_run(Entry bytes, F&& f) {
  for (unsigned b = 0; b < kGranule; ++b) {
    if ((bytes >> b & 1) == 0) continue;
    unsigned end = b + 1;
    while (end < kGranule && (bytes >> end & 1) != 0) ++end;
    f(b, end);
    b = end;
  }
}
}  // namespace

template <bool is_write>
void Detector::found(Thread& t, Access& a, std::uint64_t g, std::uint64_t at_home,
                     const Conflicts& conflicts) {
  for (unsigned i = 0; i < conflicts.count; ++i) {
    const Conflicts::One& one = conflicts.one[i];
    for_each_run(bytes_of(one.earlier), [&](unsigned low, unsigned high) {
      note_race(t, a, g + low, high - low, {cells.epochs.at(one.earlier), one.wrote, false});
    });
  }
  if (conflicts.mixed != 0) on_records(t, a, g, at_home, conflicts.mixed, is_write);
}

// What is not a usual step: columns, records, races.
template <bool is_write>
bool Detector::check_fully(Thread& t, Access& a, std::uint64_t g, Entry bytes) {
  Conflicts conflicts;
  const std::uint64_t at_home = home(g);
  ColumnEntry* const own = is_write || at_home != g ? nullptr : t.hot->own_entry(g);
  bool changed = cells.check<is_write>(t.view, at_home, bytes, conflicts, own);
  if (!is_write && changed && t.view.last_read != nullptr) {
    // By its own address: what has a home elsewhere is not found again there.
    if (at_home == g) t.hot->saw(g, *t.view.last_read);
    t.view.last_read = nullptr;
  }
  if ((conflicts.count | conflicts.mixed) != 0) [[unlikely]] {
    found<is_write>(t, a, g, at_home, conflicts);
    changed = true;
  }
  return changed;
}

template <bool is_write>
[[gnu::always_inline]] inline bool Detector::check_granule(Thread& t, Access& a, std::uint64_t g,
                                                           Entry bytes) {
  if (!aliases.any()) [[likely]] {
    const std::uint64_t now = cells.word(g);
    if (!is_write && (Pair::of(now).read & kShared) != 0) {
      if (t.hot->has_read(g, bytes)) return false;
    } else {
      const Step step = cells.try_step<is_write>(t.view, g, now, bytes);
      if (step == Step::kNothing) return false;
      if (step == Step::kChanged) return true;
    }
  }
  return check_fully<is_write>(t, a, g, bytes);
}

template <bool is_write>
bool Detector::walk(Thread& t, Access& a, std::uint64_t begin, std::uint64_t end) {
  bool changed = false;
  std::uint64_t g = begin / kGranule * kGranule;
  const auto bytes_from = [](std::uint64_t low, std::uint64_t high) {
    return static_cast<Entry>((kBytes << low & kBytes) & (high >= 8 ? kBytes : (1U << high) - 1));
  };
  if (begin != g) {
    changed = check_granule<is_write>(t, a, g, bytes_from(begin - g, end - g));
    g += kGranule;
  }
  const std::uint64_t whole = end / kGranule * kGranule;
  const auto one = [&](std::uint64_t at) { return check_fully<is_write>(t, a, at, kBytes); };
  if (!aliases.any()) {
    changed = cells.check_whole<is_write>(t.view, g, whole, one) || changed;
  } else {
    for (std::uint64_t at = g; at < whole; at += kGranule) changed = one(at) || changed;
  }
  if (g < whole) g = whole;
  if (g < end) changed = check_granule<is_write>(t, a, g, bytes_from(0, end - g)) || changed;
  return changed;
}

// The same, but where nothing was ever accessed, nothing will be known.
template <bool is_write>
bool Detector::touched_only(Thread& t, Access& a, std::uint64_t begin, std::uint64_t end) {
  bool changed = false;
  for (std::uint64_t at = begin; at < end;) {
    const std::uint64_t page_end = (at / kOsPage + 1) * kOsPage;
    const std::uint64_t stop = page_end < end ? page_end : end;
    if (aliases.any() || LinearMemory::page(at).load(std::memory_order_relaxed) != 0) {
      changed = walk<is_write>(t, a, at, stop) || changed;
    }
    at = stop;
  }
  return changed;
}

// Lean: no call but the rare ones, nothing made that a usual step does not need.
template <bool is_write>
bool Detector::check_usual(Thread& t, std::uint64_t addr, unsigned size, std::uint64_t pc) {
  const std::uint64_t low = addr % kGranule;
  const std::uint64_t g = addr - low;
  const std::uint32_t inside = t.inside.load(std::memory_order_relaxed);
  const bool is_odd = is_inside(inside) || t.ignore_accesses != 0 || t.everything_slow ||
                      listener.is_all || listener.any() || aliases.any() || sweep_due();
  if (is_odd || size > kGranule || low > kGranule - size || !world.enter_quickly(t, inside)) {
    return false;
  }
  const Entry bytes = (kBytes >> (kGranule - size)) << low;
  const std::uint64_t now = cells.word(g);
  if (!is_write && (Pair::of(now).read & kShared) != 0 && t.hot->has_read(g, bytes)) {
    world.leave(t);
    return true;
  }
  const Step step = cells.try_step<is_write>(t.view, g, now, bytes);
  if (step == Step::kChanged) {
    const Frame* const top = t.hot->top;
    const std::uint32_t node = top > t.frames && top[-1].node != 0 ? top[-1].node : node_of(t);
    t.log.add(Brief{Brief::what_of(addr, size, is_write ? LogKind::kWrite : LogKind::kRead, 0), pc,
                    t.clock.epoch.clock(), node, lockset(t)});
  }
  world.leave(t);
  return step <= Step::kChanged;
}
template bool Detector::check_usual<false>(Thread&, std::uint64_t, unsigned, std::uint64_t);
template bool Detector::check_usual<true>(Thread&, std::uint64_t, unsigned, std::uint64_t);

template <bool is_write>
void Detector::check_few(Thread& t, std::uint64_t addr, unsigned size, std::uint64_t pc,
                         std::uint8_t flags, std::uint64_t inner) {
  if (is_left_out(t, addr, size)) return;
  world.enter(t);
  Access a{addr, size, pc, is_write ? LogKind::kWrite : LogKind::kRead, flags};
  a.inner = inner;
  tell(t, a, addr, addr + size);
  // The bytes of the access from the granule on, as bits.
  const std::uint64_t low = addr % kGranule;
  bool changed = false;
  constexpr unsigned kTwo = 2 * kGranule;
  if (size <= kTwo && low <= kTwo - size) [[likely]] {
    const std::uint64_t bytes = ((std::uint64_t{1} << size) - 1) << low;
    changed = check_granule<is_write>(t, a, addr - low, bytes & kBytes);
    if (bytes > kBytes) {
      changed = check_granule<is_write>(t, a, addr - low + kGranule,
                                        static_cast<Entry>(bytes >> kGranule)) ||
                changed;
    }
  } else {
    changed = walk<is_write>(t, a, addr, addr + size);
  }
  if (changed) note(t, a);
  if (a.race.size != 0) [[unlikely]]
    flush(t, a);
  world.leave(t);
  sweep_if_due(t);
}
template void Detector::check_few<false>(Thread&, std::uint64_t, unsigned, std::uint64_t,
                                         std::uint8_t, std::uint64_t);
template void Detector::check_few<true>(Thread&, std::uint64_t, unsigned, std::uint64_t,
                                        std::uint8_t, std::uint64_t);

void Detector::range(Thread& t, std::uint64_t addr, std::uint64_t size, LogKind kind,
                     std::uint64_t pc, std::uint64_t inner) {
  if (size <= Brief::kMostBytes && size != 0 && kind <= LogKind::kWrite) {
    return access(t, addr, static_cast<unsigned>(size), kind == LogKind::kWrite, pc, 0, inner);
  }
  if (size == 0 || is_left_out(t, addr, size)) return;
  world.enter(t);
  Access a{addr, size, pc, kind};
  a.inner = inner;
  a.leaves_mark = listener.needs_cells(size);
  const std::uint64_t end = addr + size;
  tell(t, a, addr, end);
  if (a.leaves_mark) {
    const bool changed = kind == LogKind::kFree && size >= kLarge
                             ? touched_only<true>(t, a, addr, end)
                         : wrote(kind) ? walk<true>(t, a, addr, end)
                                       : walk<false>(t, a, addr, end);
    if (changed) note(t, a);
    flush(t, a);
  }
  world.leave(t);
  sweep_if_due(t);
}

void Detector::tell(Thread& t, const Access& a, const Strided& all) {
  if (!listener.hears(all.begin, all.last())) [[likely]]
    return;
  if (listener.tell_strided != nullptr) return listener.tell_strided(t, a, all);
  for (std::uint64_t k = 0; k < all.count; ++k) {
    tell(t, a, all.begin + k * all.step, all.end + k * all.step);
  }
}

void Detector::strided(Thread& t, std::uint64_t addr, std::int64_t step, std::uint64_t count,
                       unsigned size, bool is_write, std::uint64_t pc) {
  if (count == 0) return;
  const auto forwards = static_cast<std::uint64_t>(step);
  const std::uint64_t apart = step < 0 ? 0 - forwards : forwards;
  const std::uint64_t low = step < 0 ? addr - apart * (count - 1) : addr;
  if (is_left_out(t, low, apart * (count - 1) + size)) return;
  world.enter(t);
  Access a{addr, size, pc, is_write ? LogKind::kWrite : LogKind::kRead};
  tell(t, a, Strided{low, low + size, apart, count});
  bool changed = false;
  for (std::uint64_t k = 0; k < count; ++k, addr += forwards) {
    a.addr = addr;
    changed =
        (is_write ? walk<true>(t, a, addr, addr + size) : walk<false>(t, a, addr, addr + size)) ||
        changed;
  }
  if (changed) {
    a.context = context(t, pc);
    t.log.add(Run{.first = step < 0 ? low + apart * (count - 1) : low,
                  .clock = t.clock.epoch.clock(),
                  .context = a.context,
                  .locks = lockset(t),
                  .stride = step,
                  .count = static_cast<std::uint32_t>(count),
                  .size = size,
                  .kind = a.kind});
  }
  flush(t, a);
  world.leave(t);
  sweep_if_due(t);
}

}  // namespace redflag::live
