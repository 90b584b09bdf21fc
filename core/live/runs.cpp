// Runs of accesses that wait, and how they are checked together (log.h says why they may).
//
// An instruction's walk through memory is one run. It is checked when it ends, when its place is
// needed, or when the thread synchronises; together with the runs that fill the gaps between its
// accesses, so that an unrolled loop over floats changes whole granules. Instructions whose runs stay
// short gather lists, and where those stay short too, their accesses are checked at once. Until it is
// checked an access is not seen by other threads: if the memory gets a new life meanwhile, whoever gives
// it one sees to the waiting runs first (flush_pending, and the frontend for those of other threads).
//
// With our own pass only ranges of loops wait here: its single accesses are checked at once, or wait by
// granule (parts.h).
#include "core/live/detector.h"

namespace redflag::live {

namespace {
constexpr std::uint8_t kScattered = 4;  // short runs in a row after which a list is tried
constexpr std::uint8_t kAtOnce = 250;   // accesses that do not wait, before it is tried again

// Whether what an instruction did as a list would have been a run.
bool regular(const std::int32_t* offsets, std::uint32_t n) {
  if (n < 4) return false;
  const std::int64_t step = std::int64_t{offsets[n - 1]} - offsets[n - 2];
  return step == std::int64_t{offsets[n - 2]} - offsets[n - 3] &&
         step == std::int64_t{offsets[n - 3]} - offsets[n - 4];
}
std::uint32_t size_of(const AccessLog::Open& o) {
  return o.shape & 0xffff;
}
LogKind kind_of(const AccessLog::Open& o) {
  return static_cast<LogKind>(o.shape >> 16 & 0xff);
}
}  // namespace

// Neither a run nor a list of its instruction goes on with it, or the call is not numbered yet.
void Detector::wait_or_check(Thread& t, std::uint32_t i, std::uint64_t addr, unsigned size,
                             bool is_write, std::uint64_t pc, std::uint64_t inner) {
  if (is_left_out(t, addr, size)) return;
  AccessLog::Open& o = t.log.open(i);
  const LogKind kind = is_write ? LogKind::kWrite : LogKind::kRead;
  const auto small = static_cast<std::uint16_t>(size);
  const std::uint32_t shape = AccessLog::shape_of(small, kind, 0);
  const std::uint32_t node = node_of(t);
  if (node == Contexts::kRoot) {  // nothing to tell runs of different calls apart by
    return range(t, addr, size, kind, inner != 0 ? inner : pc);
  }
  const bool same = o.pc == pc && o.node == node && o.shape == shape;
  if (o.at_once != 0 && o.pc == pc && o.shape == shape) {
    --o.at_once;
    return is_write ? check_at_once<true>(t, addr, size, pc, inner)
                    : check_at_once<false>(t, addr, size, pc, inner);
  }
  if (t.waits(i)) {
    if (AccessLog::extend(o, pc, node, shape, addr)) return;
    if (AccessLog::gather(o, pc, node, shape, addr)) return;
    if (same && (t.log.learn_stride(i, addr) || t.log.next_row(i, addr))) return;
    check_waiting(t, i);
  }
  if (same && o.scattered >= kScattered && (addr | size) % kGranule != 0) {
    // In a list only whole granules gain by each other.
    o.scattered = kScattered - 1;
    o.at_once = kAtOnce;
    return is_write ? check_at_once<true>(t, addr, size, pc, inner)
                    : check_at_once<false>(t, addr, size, pc, inner);
  }
  std::uint32_t where = context(t, pc);
  if (inner != 0) where = contexts.child(arena, where, inner);
  const Run run{addr, t.clock.epoch.clock(), where, lockset(t), 0, 1, small, kind, 0, 0};
  if (same && o.scattered >= kScattered) {
    if (const std::uint32_t user = t.log.next_list_used_by(); user != 0) check_waiting(t, user - 1);
    t.log.begin_list(i, pc, node, run);
    o.blind = o.lists == 0 ? 1 : 0;
  } else {
    t.log.begin(i, pc, node, run);
  }
  t.set_waiting(i);
  sweep_if_due(t);
}

// Ends a run or list that waits, and draws the conclusions for the next: an instruction is tried as
// one of runs, then as one that gathers lists; where those stay short too, waiting only costs.
const Run& Detector::take_waiting(Thread& t, std::uint32_t i) {
  constexpr std::uint32_t kShort = 2;
  constexpr std::uint32_t kAlone = 3;
  t.clear_waiting(i);
  AccessLog::Open& o = t.log.open(i);
  const Run& run = t.log.end(i);
  if (run.stride == kGathered) {
    if (run.count > kShort) {
      o.alone = 0;
      if (regular(t.log.list(run.list), run.count)) o.scattered = 0;
    } else if (++o.alone == kAlone) {
      o.alone = 0;
      o.at_once = kAtOnce;
    }
  } else if (run.count > kShort || (run.stride == kTiled && t.log.rows(run) > 2)) {
    o.scattered = 0;
  } else if (o.scattered < kScattered) {
    ++o.scattered;
  }
  return run;
}

// Single accesses first, those that lie side by side as one: a struct's fields are several
// instructions. Writes before reads: then a read of what was written is known already.
void Detector::flush_all(Thread& t) {
  constexpr std::uint32_t kMost = 64;
  Span spans[kMost];
  std::uint32_t n = 0;
  world.enter(t);  // before it waits no more: others can tell that it is not checked yet
  for (std::uint32_t w = 0; w < AccessLog::kOpen / 64; ++w) {
    for (std::uint64_t bits = t.waiting[w]; bits != 0; bits &= bits - 1) {
      const std::uint32_t i = w * 64 + static_cast<std::uint32_t>(__builtin_ctzll(bits));
      if (!t.log.single(i)) continue;
      if (n == kMost) {
        check_spans(t, spans, n);
        n = 0;
      }
      const Run& run = take_waiting(t, i);
      const Span span{run.first, run.first + run.size, run.context, run.kind == LogKind::kRead};
      std::uint32_t k = n++;
      for (; k > 0 && span.before(spans[k - 1]); --k) spans[k] = spans[k - 1];
      spans[k] = span;
    }
  }
  check_spans(t, spans, n);
  check_parts(t);
  world.leave(t);
  for (std::uint32_t w = 0; w < AccessLog::kOpen / 64 && t.waiting_count != 0; ++w) {
    while (t.waiting[w] != 0) {
      check_waiting(t, w * 64 + static_cast<std::uint32_t>(__builtin_ctzll(t.waiting[w])));
    }
  }
  sweep_if_due(t);
}

void Detector::flush_touching(Thread& t, std::uint64_t addr, std::uint64_t size) {
  if (t.parts.any()) {
    world.enter(t);
    check_parts_touching(t, addr, size);
    world.leave(t);
  }
  for (std::uint32_t w = 0; w < AccessLog::kOpen / 64 && t.waiting_count != 0; ++w) {
    for (std::uint64_t bits = t.waiting[w]; bits != 0; bits &= bits - 1) {
      const std::uint32_t i = w * 64 + static_cast<std::uint32_t>(__builtin_ctzll(bits));
      if (t.waits(i) && t.log.may_touch(i, addr, size)) check_waiting(t, i);
    }
  }
}

void Detector::check_spans(Thread& t, const Span* spans, std::uint32_t n) {
  for (std::uint32_t k = 0; k < n;) {
    const Span& s = spans[k];
    std::uint64_t end = s.end;
    Access a{s.begin, end - s.begin, 0, s.read ? LogKind::kRead : LogKind::kWrite, 0, s.context};
    tell(t, a, s.begin, end);
    const bool is_heard = listener.hears(s.begin, s.end);
    for (++k; k < n && spans[k].read == s.read && spans[k].begin <= end && !is_heard &&
              !listener.hears(spans[k].begin, spans[k].end);
         ++k) {
      a.context = spans[k].context == a.context ? a.context : kInLog;
      if (spans[k].end > end) end = spans[k].end;
    }
    stretch(t, a, s.begin, end);
    flush(t, a);
  }
}

// Does somebody listen to the tile, or to what is joined with it?
bool Detector::is_heard(const Tile& tile, std::uint64_t low, std::uint64_t step) const {
  if (!listener.any()) return false;
  const std::uint64_t row = step * (std::uint64_t{tile.inner} + 2);
  const std::uint64_t last =
      low + static_cast<std::uint64_t>(tile.outer) * (std::uint64_t{tile.rows} - 1);
  return listener.hears((last < low ? last : low) - row, (last < low ? low : last) + row);
}

// Checks run i, together with those that fill the gaps between its accesses: an unrolled loop is
// several instructions that take turns. What is checked does not grow any more.
void Detector::check_waiting(Thread& t, std::uint32_t i) {
  world.enter(t);  // before it waits no more, see flush_all
  if (t.log.open(i).list != nullptr) {
    check_list(t, i, take_waiting(t, i));
    world.leave(t);
    return;
  }
  const Tile tile = t.log.tile(i);
  const Run& run = take_waiting(t, i);
  Access a{run.first, run.size, 0, run.kind, run.flags, run.context};
  std::uint64_t low = run.first;
  std::uint64_t high = low + run.size;
  const auto step = static_cast<std::uint64_t>(tile.stride < 0 ? -tile.stride : tile.stride);
  if (tile.stride > run.size && tile.inner > 1 && !is_heard(tile, low, step)) {
    constexpr std::uint32_t kMost = 16;
    std::uint32_t siblings[kMost];
    std::uint32_t n = 0;
    for (std::uint32_t w = 0; w < AccessLog::kOpen / 64; ++w) {
      for (std::uint64_t bits = t.waiting[w]; bits != 0; bits &= bits - 1) {
        const std::uint32_t k = w * 64 + static_cast<std::uint32_t>(__builtin_ctzll(bits));
        const AccessLog::Open& o = t.log.open(k);
        if (o.stride != tile.stride || o.first - low + step > 2 * step || o.list != nullptr ||
            kind_of(o) != run.kind || n == kMost || t.log.tile(k) != tile) {
          continue;
        }
        std::uint32_t at = n++;
        for (; at > 0 && t.log.open(siblings[at - 1]).first > o.first; --at) {
          siblings[at] = siblings[at - 1];
        }
        siblings[at] = k;
      }
    }
    std::uint32_t above = 0;
    while (above < n && t.log.open(siblings[above]).first < low) ++above;
    for (std::uint32_t k = above; k > 0 && high - low < step; --k) {  // downwards
      const AccessLog::Open& o = t.log.open(siblings[k - 1]);
      if (o.first + size_of(o) != low) break;
      low = o.first;
      take_waiting(t, siblings[k - 1]);
      a.context = kInLog;
    }
    for (std::uint32_t k = above; k < n && high - low < step; ++k) {
      const AccessLog::Open& o = t.log.open(siblings[k]);
      if (o.first != high) break;
      high += size_of(o);
      take_waiting(t, siblings[k]);
      a.context = kInLog;
    }
  }
  const std::uint64_t width = high - low;
  a.leaves_mark = listener.needs_cells(width * tile.inner * tile.rows);
  Walk walk(t, wrote(a.kind));
  if (width >= step && tile.outer > 0 &&
      static_cast<std::uint64_t>(tile.outer) == step * tile.inner) {
    // Each row begins where the one before ended.
    const std::uint64_t end =
        high + step * (std::uint64_t{tile.inner} * (tile.rows - 1) + tile.last - 1);
    tell(t, a, low, end);
    if (a.leaves_mark) stretch(t, a, walk, low, end);
  } else {
    for (std::uint32_t r = 0; r < tile.rows; ++r) {
      const std::uint32_t count = r + 1 == tile.rows ? tile.last : tile.inner;
      std::uint64_t at = low + static_cast<std::uint64_t>(tile.outer) * r;
      // Backwards is forwards from the other end.
      if (tile.stride < 0) at -= step * (count - 1);
      if (count == 1 || width >= step) {
        tell(t, a, at, at + width + step * (count - 1));
        if (a.leaves_mark) stretch(t, a, walk, at, at + width + step * (count - 1));
      } else {
        tell(t, a, {at, at + width, step, count});
        if (a.leaves_mark) column(t, a, walk, at, at + width, step, count);
      }
    }
  }
  flush(t, a);
  world.leave(t);
}

// The same for a list: with lists that have the neighbouring bytes, access by access.
void Detector::check_list(Thread& t, std::uint32_t i, const Run& run) {
  constexpr std::uint64_t kMostJoined = 128;  // bytes, with neighbours
  const std::int32_t* offsets = t.log.list(run.list);
  Access a{run.first, run.size, 0, run.kind, run.flags, run.context};
  std::uint64_t low = run.first;
  std::uint64_t high = low + run.size;
  bool is_heard = false;
  for (std::uint32_t k = 0; k < run.count && listener.any() && !is_heard; ++k) {
    const std::uint64_t at = low + static_cast<std::uint64_t>(std::int64_t{offsets[k]});
    is_heard = listener.hears(at - kMostJoined, at + kMostJoined);
  }
  for (std::uint32_t w = 0; w < AccessLog::kOpen / 64 && run.size < kGranule && !is_heard; ++w) {
    for (std::uint64_t bits = t.waiting[w]; bits != 0; bits &= bits - 1) {
      const std::uint32_t k = w * 64 + static_cast<std::uint32_t>(__builtin_ctzll(bits));
      const AccessLog::Open& o = t.log.open(k);
      if (o.list == nullptr || kind_of(o) != run.kind || o.gathered != run.count ||
          (o.first != high && o.first + size_of(o) != low) || high - low > kMostJoined / 2 ||
          !os_equal(o.list, offsets, run.count * sizeof(std::int32_t))) {
        continue;
      }
      if (o.first == high) {
        high += size_of(o);
      } else {
        low = o.first;
      }
      take_waiting(t, k);
      a.context = kInLog;
    }
  }
  const auto size = static_cast<unsigned>(high - low);
  const auto at_of = [&](std::uint32_t k) {
    return low + static_cast<std::uint64_t>(std::int64_t{offsets[k]});
  };
  const bool is_write = wrote(run.kind);
  const bool blind = t.log.open(i).lists == 0;
  std::uint32_t known = 0;
  Walk walk(t, is_write);
  for (std::uint32_t k = 0; k < run.count; ++k) shadow.prefetch(at_of(k));
  for (std::uint32_t k = 0; k < run.count; ++k) {
    const std::uint64_t at = at_of(k);
    tell(t, a, at, at + size);
    const auto first = static_cast<unsigned>(at % kGranule);
    if (blind && first + size <= kGranule &&
        knows_bytes(known_to(t, is_write), at - first, first, first + size)) {
      ++known;
    } else if (first == 0 && size % kGranule == 0) {
      const Cell* const cell = blind ? shadow.find(shadow.home(at)) : nullptr;
      if (cell != nullptr && is_known(t, cell->load(std::memory_order_relaxed), is_write)) ++known;
      stretch(t, a, walk, at, at + size);
    } else if (first + size > kGranule ||
               !(is_write ? part_at_once<true>(t, at, size) : part_at_once<false>(t, at, size))) {
      stretch(t, a, at, at + size);
    }
  }
  flush(t, a);
  // Is it better to look whether an access is known before it goes into the list? Only a list that
  // took all can tell; so there is one now and then.
  AccessLog::Open& o = t.log.open(i);
  if (!blind) {
    --o.lists;
  } else if (known * 2 > run.count) {
    o.lists = 16;
  }
}

}  // namespace redflag::live
