// Walks over cells: many granules that are accessed alike.
//
// Neighbours mostly have the same history, and so do the rows of a table and the elements of a list.
// What became of the last one becomes of the next: known cells are passed over, and a change that was
// just made is made again, four cells at a time where they lie side by side. The first that is
// different is left to a memo, and where there is none to the rules (access.cpp, rules.cpp).
#include "core/live/detector.h"

namespace redflag::live {

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

// The cells from addr on; up to `end`, which is cut down to as many as are side by side in a block.
[[gnu::always_inline]] inline Cell* Detector::enter_block(Thread& t, const Access& a, Walk& w,
                                                          std::uint64_t addr, std::uint64_t& end) {
  constexpr std::uint64_t kBlock = std::uint64_t{1} << kBlockShift;
  for (;;) {
    std::uint64_t room = end - addr;
    const std::uint64_t home = shadow.home(addr, room);
    Cell* const cell = &shadow.get(home);
    if (home >> kBlockShift != w.block) [[unlikely]] {
      const bool found_again = w.block == ~std::uint64_t{0};
      Owner& owner = shadow.owner(home);
      const std::uint32_t now = owner.load(std::memory_order_acquire);
      w.mine = (now & kOwnerMask) == t.number + 1 && now < kMovingBlock;
      w.block = home >> kBlockShift;
      const bool moves = !w.mine && now != kSharedBlock;
      if (moves) {  // steps out: what was known of handles is void
        const bool further = w.reach > end && !shadow.aliases.any();
        w.mine = take_over(t, owner, home, further ? w.reach - addr : room);
      }
      if (moves || found_again) w.c = Changes(t, wrote(a.kind));
      if (moves && shadow.home(addr) != home) continue;
    }
    const std::uint64_t left = kBlock - home % kBlock;
    end = addr + (left < room ? left : room);
    return cell;
  }
}

// [low, high), and the same every `step` bytes, `count` times in all.
void Detector::column(Thread& t, Access& a, Walk& w, std::uint64_t low, std::uint64_t high,
                      std::uint64_t step, std::uint32_t count) {
  const auto first = static_cast<unsigned>(low % kGranule);
  const auto size = static_cast<unsigned>(high - low);
  constexpr std::uint64_t kBlock = std::uint64_t{1} << kBlockShift;
  if (step <= kBlock) w.reach = low + step * (count - 1) + size;
  if (step % kGranule != 0 || first + size > kGranule) {
    for (std::uint32_t k = 0; k < count; ++k) stretch(t, a, w, low + k * step, high + k * step);
    w.reach = 0;
    return;
  }
  const std::uint32_t shape = shape_of(wrote(a.kind), first, size);
  const std::uint64_t cells = step / kGranule;
  std::uint64_t g = low - first;
  const std::uint64_t end = g + step * count;
  while (g < end) {
    // To the end of the block, as long as it goes on simply.
    std::uint64_t stop = end;
    Cell* cell = enter_block(t, a, w, g, stop);
    Cell* const start = cell;
    Cell* const last = cell + (stop - g + kGranule - 1) / kGranule;
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
  w.reach = 0;
  // Only whole granules change alike: the next column may be of other bytes.
  if (size != kGranule) w.lost();
}

// Some bytes of a granule, or all.
void Detector::part(Thread& t, Access& a, std::uint64_t g, unsigned low, unsigned high) {
  const Cell* cell = shadow.find(shadow.home(g));
  if (cell != nullptr && is_known(t, cell->load(std::memory_order_relaxed), wrote(a.kind))) return;
  if (!a.whole) {
    a.addr = g + low;
    a.size = high - low;
  }
  // What becomes of a whole granule is better kept as a memo: others like it follow.
  if (high - low != kGranule) {
    remember(t, a);
    if (wrote(a.kind) ? part_at_once<true>(t, g + low, high - low)
                      : part_at_once<false>(t, g + low, high - low)) {
      return;
    }
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
    std::uint64_t stop = end / kGranule * kGranule;
    Cell* cell = enter_block(t, a, w, at, stop);
    Cell* const last = cell + (stop - at) / kGranule;
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
