// Runs of accesses that wait, and how they are checked together (log.h says why they may).
//
// An instruction's walk through memory is one run. It is checked when it ends, when its place is
// needed, or when the thread synchronises; together with the runs that fill the gaps between its
// accesses, so that an unrolled loop over floats changes whole granules. Instructions whose runs stay
// short are checked at once. Until it is checked an access is not seen by other threads: if the memory
// gets a new life meanwhile, whoever gives it one sees to the waiting runs first (flush_pending, and
// the frontend for those of other threads).
#include "core/live/detector.h"

namespace redflag::live {

namespace {
constexpr std::uint8_t kScattered = 4;  // short runs in a row after which a list is tried

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
  AccessLog::Open& o = t.log.open(i);
  const LogKind kind = is_write ? LogKind::kWrite : LogKind::kRead;
  const auto small = static_cast<std::uint16_t>(size);
  const std::uint32_t shape = AccessLog::shape_of(small, kind, 0);
  const std::uint32_t node = contexts.number(arena, t.frames, t.hot->top);
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
      o.at_once = 250;
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
  for (std::uint32_t w = 0; w < AccessLog::kOpen / 64 && t.waiting_count != 0; ++w) {
    while (t.waiting[w] != 0) {
      check_waiting(t, w * 64 + static_cast<std::uint32_t>(__builtin_ctzll(t.waiting[w])));
    }
  }
  sweep_if_due(t);
}

void Detector::flush_touching(Thread& t, std::uint64_t addr, std::uint64_t size) {
  for (std::uint32_t w = 0; w < AccessLog::kOpen / 64 && t.waiting_count != 0; ++w) {
    for (std::uint64_t bits = t.waiting[w]; bits != 0; bits &= bits - 1) {
      const std::uint32_t i = w * 64 + static_cast<std::uint32_t>(__builtin_ctzll(bits));
      if (t.waits(i) && t.log.may_touch(i, addr, size)) check_waiting(t, i);
    }
  }
}

void Detector::check_spans(Thread& t, const Span* spans, std::uint32_t n) {
  world.enter(t);
  for (std::uint32_t k = 0; k < n;) {
    const Span& s = spans[k];
    std::uint64_t end = s.end;
    Access a{s.begin, end - s.begin, 0, s.read ? LogKind::kRead : LogKind::kWrite, 0, s.context};
    for (++k; k < n && spans[k].read == s.read && spans[k].begin <= end; ++k) {
      a.context = spans[k].context == a.context ? a.context : kInLog;
      if (spans[k].end > end) end = spans[k].end;
    }
    stretch(t, a, s.begin, end);
    flush(t, a);
  }
  world.leave(t);
}

// Checks run i, together with those that fill the gaps between its accesses: an unrolled loop is
// several instructions that take turns. What is checked does not grow any more.
void Detector::check_waiting(Thread& t, std::uint32_t i) {
  if (t.log.open(i).list != nullptr) return check_list(t, i, take_waiting(t, i));
  const Tile tile = t.log.tile(i);
  const Run& run = take_waiting(t, i);
  Access a{run.first, run.size, 0, run.kind, run.flags, run.context};
  std::uint64_t low = run.first;
  std::uint64_t high = low + run.size;
  const auto step = static_cast<std::uint64_t>(tile.stride < 0 ? -tile.stride : tile.stride);
  if (tile.stride > run.size && tile.inner > 1) {
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
  world.enter(t);
  Walk walk(t, wrote(a.kind));
  if (width >= step && tile.outer > 0 &&
      static_cast<std::uint64_t>(tile.outer) == step * tile.inner) {
    // Each row begins where the one before ended.
    stretch(t, a, walk, low,
            high + step * (std::uint64_t{tile.inner} * (tile.rows - 1) + tile.last - 1));
  } else {
    for (std::uint32_t r = 0; r < tile.rows; ++r) {
      const std::uint32_t count = r + 1 == tile.rows ? tile.last : tile.inner;
      std::uint64_t at = low + static_cast<std::uint64_t>(tile.outer) * r;
      // Backwards is forwards from the other end.
      if (tile.stride < 0) at -= step * (count - 1);
      if (count == 1 || width >= step) {
        stretch(t, a, walk, at, at + width + step * (count - 1));
      } else {
        column(t, a, walk, at, at + width, step, count);
      }
    }
  }
  flush(t, a);
  world.leave(t);
}

// The same for bytes [low, high) of a granule, whatever its form.
[[gnu::always_inline]] inline bool Detector::knows_bytes(const Thread& t, std::uint64_t g,
                                                         unsigned low, unsigned high,
                                                         bool is_write) {
  const Cell* cell = shadow.find(g);
  if (cell == nullptr) return false;
  const std::uint32_t h = cell->load(std::memory_order_acquire);
  if (is_known(t, h, is_write)) return true;
  if (form(h) != Form::kSplit) return false;
  if (!is_halves(h)) {
    const Split& split = splits[index(h)];
    while (low < high && is_known(t, split.bytes[low], is_write)) ++low;
    return low == high;
  }
  const std::uint64_t word = halves[halves_index(h)].word.load(std::memory_order_acquire);
  return (low >= 4 || is_known(t, Halves::half(word, 0), is_write)) &&
         (high <= 4 || is_known(t, Halves::half(word, 1), is_write));
}

// The same for a list: with lists that have the neighbouring bytes, access by access.
void Detector::check_list(Thread& t, std::uint32_t i, const Run& run) {
  const std::int32_t* offsets = t.log.list(run.list);
  Access a{run.first, run.size, 0, run.kind, run.flags, run.context};
  std::uint64_t low = run.first;
  std::uint64_t high = low + run.size;
  for (std::uint32_t w = 0; w < AccessLog::kOpen / 64 && run.size < kGranule; ++w) {
    for (std::uint64_t bits = t.waiting[w]; bits != 0; bits &= bits - 1) {
      const std::uint32_t k = w * 64 + static_cast<std::uint32_t>(__builtin_ctzll(bits));
      const AccessLog::Open& o = t.log.open(k);
      if (o.list == nullptr || kind_of(o) != run.kind || o.gathered != run.count ||
          (o.first != high && o.first + size_of(o) != low) || high - low > 64 ||
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
  std::uint32_t known = 0;
  world.enter(t);
  Walk walk(t, is_write);
  for (std::uint32_t k = 0; k < run.count; ++k) shadow.prefetch(at_of(k));
  for (std::uint32_t k = 0; k < run.count; ++k) {
    const std::uint64_t at = at_of(k);
    const auto first = static_cast<unsigned>(at % kGranule);
    const unsigned end = first + size;
    const std::uint64_t g = at - first;
    if (knows_bytes(t, g, first, end < kGranule ? end : kGranule, is_write) &&
        (end <= kGranule ||
         (end <= 2 * kGranule && knows_bytes(t, g + kGranule, 0, end - kGranule, is_write)))) {
      ++known;
    } else if (end < kGranule || first != 0) {
      stretch(t, a, at, at + size);
    } else {
      stretch(t, a, walk, at, at + size);
    }
  }
  flush(t, a);
  world.leave(t);
  // Is it better to look whether an access is known before it goes into the list? Only a list that
  // took all can tell; so there is one now and then.
  AccessLog::Open& o = t.log.open(i);
  if (o.lists != 0) {
    --o.lists;
  } else if (known * 2 > run.count) {
    o.lists = 16;
  }
}

// A cell that is known, or that changes as another did a moment ago, or as a memo says. False: look
// at it by the rules.
[[gnu::always_inline]] inline bool Detector::again(Thread& t, Access& a, Cell& cell, bool mine,
                                                   std::uint32_t shape, Changes& c) {
  const std::uint32_t h = cell.load(std::memory_order_acquire);
  if (h != c.from[0]) {
    if (h - c.base < c.room) return true;
    if (h == c.from[1]) return c.to[1] == h || change(cell, h, c.to[1], mine);
    const Memo& m = t.memos[memo_of(h, shape)];
    if (m.from != h || m.key != (t.key | shape)) return false;
    if (m.to != h) remember(t, a);
    c.from[1] = c.from[0];
    c.to[1] = c.to[0];
    c.from[0] = h;
    c.to[0] = m.to;
  }
  return c.to[0] == h || change(cell, h, c.to[0], mine);
}

// Four cells as one vector. The processor reads and writes each of them whole, in order; what is
// published with them is seen with them.
using Four = std::uint32_t __attribute__((vector_size(16)));
[[gnu::always_inline]] inline Four load_four(const Cell* cells) {
  if (kUnderTsan) {
    Four four{};
    for (int k = 0; k < 4; ++k) four[k] = cells[k].load(std::memory_order_acquire);
    return four;
  }
  Four four;
  __builtin_memcpy(&four, static_cast<const void*>(cells), sizeof(four));
  return four;
}
[[gnu::always_inline]] inline void store_four(Cell* cells, Four four) {
  if (kUnderTsan) {
    for (int k = 0; k < 4; ++k) cells[k].store(four[k], std::memory_order_release);
    return;
  }
  __builtin_memcpy(static_cast<void*>(cells), &four, sizeof(four));
}

// Four cells at a time, as long as each of the four is known or changes as others did. Returns where
// that ends. The cells of a block that is `mine` nobody else changes.
[[gnu::always_inline]] inline Cell* Detector::alike(Cell* cell, Cell* end, bool mine,
                                                    const Changes& c) {
  using Signed = std::int32_t __attribute__((vector_size(16)));
  using Floats = float __attribute__((vector_size(16)));
  const auto which = [](Signed mask) {
    return __builtin_ia32_movmskps(reinterpret_cast<Floats>(mask));
  };
  const auto four_of = [](std::uint32_t x) { return Four{x, x, x, x}; };
  const auto usable = [&](int k) { return mine || c.to[k] == c.from[k]; };
  // Unsigned "less than", by the signed one that there is: both sides moved by half the range.
  constexpr std::uint32_t kHalf = std::uint32_t{1} << 31;
  const Four base = four_of(c.base - kHalf);
  const Signed room = reinterpret_cast<Signed>(four_of(c.room - kHalf));
  const Four from0 = four_of(usable(0) ? c.from[0] : c.base);
  const Four from1 = four_of(usable(1) ? c.from[1] : c.base);
  const Four to0 = four_of(usable(0) ? c.to[0] : c.base);
  const Four to1 = four_of(usable(1) ? c.to[1] : c.base);
  for (; end - cell >= 4; cell += 4) {
    Four four = load_four(cell);
    const Signed known = reinterpret_cast<Signed>(four - base) < room;
    const auto is0 = reinterpret_cast<Signed>(four == from0);
    const auto is1 = reinterpret_cast<Signed>(four == from1);
    if (which(known | is0 | is1) != 15) break;
    // Where it is not mine the changes are none, and another may have changed a cell just now.
    if (!mine || which(known) == 15) continue;
    const auto m0 = reinterpret_cast<Four>(is0);
    const auto m1 = reinterpret_cast<Four>(is1);
    four = (four & ~(m0 | m1)) | (to0 & m0) | (to1 & m1);
    store_four(cell, four);
  }
  return cell;
}

[[gnu::always_inline]] inline void Detector::enter_block(Thread& t, const Access& a, Walk& w,
                                                         std::uint64_t addr) {
  if (addr >> kBlockShift == w.block) [[likely]]
    return;
  const bool found_again = w.block == ~std::uint64_t{0};
  Owner& owner = shadow.owner(addr);
  const std::uint32_t now = owner.load(std::memory_order_acquire);
  w.mine = (now & kOwnerMask) == t.number + 1 && now < kMovingBlock;
  w.block = addr >> kBlockShift;
  const bool moves = !w.mine && now != kSharedBlock;
  if (moves) w.mine = take_over(t, owner);  // steps out: what was known of handles is void
  if (moves || found_again) w.c = Changes(t, wrote(a.kind));
}

// [low, high), and the same every `step` bytes, `count` times in all.
void Detector::column(Thread& t, Access& a, Walk& w, std::uint64_t low, std::uint64_t high,
                      std::uint64_t step, std::uint32_t count) {
  const auto first = static_cast<unsigned>(low % kGranule);
  const auto size = static_cast<unsigned>(high - low);
  if (step % kGranule != 0 || first + size > kGranule) {
    for (std::uint32_t k = 0; k < count; ++k) stretch(t, a, w, low + k * step, high + k * step);
    return;
  }
  const std::uint32_t shape = shape_of(wrote(a.kind), first, size);
  const std::uint64_t cells = step / kGranule;
  std::uint64_t g = low - first;
  const std::uint64_t end = g + step * count;
  while (g < end) {
    // To the end of the block, as long as it goes on simply.
    const std::uint64_t block_end = (g >> kBlockShift << kBlockShift) + (1U << kBlockShift);
    const std::uint64_t stop = block_end < end ? block_end : end;
    Cell* cell = &shadow.get(g);
    Cell* const start = cell;
    Cell* const last = cell + (stop - g + kGranule - 1) / kGranule;
    enter_block(t, a, w, g);
    Changes& c = w.c;
    while (cell < last && again(t, a, *cell, w.mine, shape, c)) {
      cell += cells;
      const std::uint32_t from = c.from[0];
      const std::uint32_t to = c.to[0];
      if (!w.mine && from != to) continue;
      for (; cell < last && cell->load(std::memory_order_relaxed) == from; cell += cells) {
        // Not the same again: where it is not mine, another may have changed it just now.
        if (from != to) cell->store(to, std::memory_order_release);
      }
    }
    g += static_cast<std::uint64_t>(cell - start) * kGranule;
    if (cell >= last) continue;
    part(t, a, g, first, first + size);  // the rules must decide
    w.lost();
    g += step;
  }
  // Only whole granules change alike: the next column may be of other bytes.
  if (size != kGranule) w.lost();
}

// Some bytes of a granule, or all: by a memo, or by the rules.
void Detector::part(Thread& t, Access& a, std::uint64_t g, unsigned low, unsigned high) {
  Cell& cell = shadow.get(g);
  const bool is_write = wrote(a.kind);
  if (is_known(t, cell.load(std::memory_order_relaxed), is_write)) return;
  if (!a.whole) {
    a.addr = g + low;
    a.size = high - low;
  }
  const bool mine = owns(t, g);
  const std::uint32_t shape = shape_of(is_write, low, high - low);
  const std::uint32_t h = cell.load(std::memory_order_acquire);
  if (is_halves(h)) {
    if (halves_granule(t, a, g, cell, h, low, high, mine)) return;
  } else if (const Memo& m = t.memos[memo_of(h, shape)]; m.from == h && m.key == (t.key | shape)) {
    if (m.to == h) return;
    remember(t, a);
    if (change(cell, h, m.to, mine)) return;
  }
  granule(t, a, g, low, high);
}

// All of [begin, end), accessed alike: neighbours with the same history become the same.
void Detector::stretch(Thread& t, Access& a, Walk& w, std::uint64_t begin, std::uint64_t end) {
  std::uint64_t at = begin;
  while (at < end) {
    const std::uint64_t here = at / kGranule * kGranule;
    if (at != here || end - at < kGranule) {
      const std::uint64_t stop = end < here + kGranule ? end : here + kGranule;
      part(t, a, here, static_cast<unsigned>(at - here), static_cast<unsigned>(stop - here));
      w.lost();
      at = stop;
      continue;
    }
    // Whole granules, to the end of the block, as long as it goes on simply.
    const std::uint64_t block_end = (at >> kBlockShift << kBlockShift) + (1U << kBlockShift);
    const std::uint64_t stop =
        end / kGranule * kGranule < block_end ? end / kGranule * kGranule : block_end;
    Cell* cell = &shadow.get(at);
    Cell* const last = cell + (stop - at) / kGranule;
    enter_block(t, a, w, at);
    const std::uint32_t shape = shape_of(wrote(a.kind), 0, kGranule);
    while (cell < last && again(t, a, *cell, w.mine, shape, w.c)) {
      ++cell;
      if (last - cell >= 4) cell = alike(cell, last, w.mine, w.c);
    }
    at = stop - static_cast<std::uint64_t>(last - cell) * kGranule;
    if (cell < last) {  // the rules must decide
      part(t, a, at, 0, kGranule);
      w.lost();
      at += kGranule;
    }
  }
}

}  // namespace redflag::live
