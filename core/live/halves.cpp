// Halves: a granule of two ints or floats that go their own ways.
//
// Splits are immutable and shared, which serves arrays whose elements are treated alike. Where every
// granule is different, and differs again after each critical section, making a new split for each
// change costs more than the change. So where equal splits have not been found lately, a granule gets
// a word of its own with the handles of its two halves, and from then on that word is changed instead
// of the cell: by compare-and-swap, or by a plain store where the block has an owner. The cell keeps
// the word's index until its memory is renewed, or both halves are found equal: by a sweep, or in a long
// epoch.
//
// An access that needs single bytes freezes the word, so that nobody changes it any more, and puts a
// split of bytes in its place.
#include "core/live/detector.h"

namespace redflag::live {

std::uint32_t Detector::new_halves(std::uint32_t low, std::uint32_t high, Thread& t) {
  if (t.spare_halves.count == 0) {
    halves.take_many(arena, t.spare_halves.index, Spares::kMost);
    t.spare_halves.count = Spares::kMost;
    history_taken(sizeof(Halves) * Spares::kMost);
  }
  const std::uint32_t i = t.spare_halves.index[--t.spare_halves.count];
  halves[i].word.store(Halves::word_of(low, high), std::memory_order_relaxed);
  return handle(Form::kSplit, i | kHalvesBit);
}

// The word, if it is still `from`, becomes `to`. Halves that have become equal stay halves until a
// sweep: what was split once is split again soon.
bool Detector::change_halves(std::uint32_t h, std::uint64_t from, std::uint64_t to, bool mine) {
  auto& word = halves[halves_index(h)].word;
  if (!mine) return word.compare_exchange_strong(from, to, std::memory_order_acq_rel);
  word.store(to, std::memory_order_release);
  return true;
}

void Detector::to_bytes(Thread& t, Cell& cell, std::uint32_t h) {
  auto& word = halves[halves_index(h)].word;
  std::uint64_t now = word.load(std::memory_order_acquire);
  do {
    if (now == Halves::kFrozen) return;  // another thread does it
  } while (!word.compare_exchange_weak(now, Halves::kFrozen, std::memory_order_acq_rel));
  // Readers of a whole half may change what it has, but not those of one of its bytes (readers.cpp).
  settle(Halves::half(now, 0));
  settle(Halves::half(now, 1));
  std::uint32_t bytes[kGranule];
  for (unsigned k = 0; k < kGranule; ++k) bytes[k] = Halves::half(now, k / 4);
  cell.compare_exchange_strong(h, new_split(bytes, &t, SplitForm::kBytes),
                               std::memory_order_acq_rel);
}

// Both halves of the granule at `addr` are the thread's own and equal, and it comes again: as one handle
// it would be known at the first look. In short epochs that is not worth it: they differ soon again.
void Detector::join_halves(Thread& t, std::uint64_t addr) {
  constexpr std::uint32_t kFew = 64;
  if (t.joins_key != t.key) {
    t.joins_key = t.key;
    t.joins = 0;
  }
  if (++t.joins < kFew || is_inside(t.inside.load(std::memory_order_relaxed))) return;
  world.enter(t);
  bool mine = false;
  Cell& cell = hold(t, addr / kGranule * kGranule, mine);
  std::uint32_t h = cell.load(std::memory_order_acquire);
  if (is_halves(h)) {
    auto& word = halves[halves_index(h)].word;
    std::uint64_t now = word.load(std::memory_order_acquire);
    const std::uint32_t b = Halves::half(now, 0);
    if (b == Halves::half(now, 1) && form(b) == Form::kPair &&
        word.compare_exchange_strong(now, Halves::kFrozen, std::memory_order_acq_rel)) {
      cell.compare_exchange_strong(h, b, std::memory_order_acq_rel);
    }
  }
  world.leave(t);
}

// An access to [low, high) of a granule that has halves. False: look again.
bool Detector::halves_granule(Thread& t, Access& a, std::uint64_t g, Cell& cell, std::uint32_t h,
                              unsigned low, unsigned high, bool mine) {
  auto& word = halves[halves_index(h)].word;
  const std::uint64_t now = word.load(std::memory_order_acquire);
  if (now == Halves::kFrozen) return false;
  const bool is_write = wrote(a.kind);
  Step found[2];
  std::uint32_t both[2] = {Halves::half(now, 0), Halves::half(now, 1)};
  bool raced = false;
  const unsigned first = low / 4;
  const unsigned last = (high - 1) / 4;
  for (unsigned k = first; k <= last; ++k) {
    const std::uint32_t b = both[k];
    if (form(b) == Form::kMixed) return plain_on_record(t, a, g, cell, h, low, high);
    if (is_known(t, b, is_write)) continue;
    if (low > k * 4 || high < k * 4 + 4) {  // not all of this half
      to_bytes(t, cell, h);
      return false;
    }
    if (is_own(b) && !is_write && !t.everything_slow) {
      remember(t, a);
      if (read_own(t, b)) continue;
    }
    const std::uint32_t shape = kHalfShape | (is_write ? 1 : 0);
    Memo& memo = t.memos[memo_of(b, shape)];
    if (memo.from == b && memo.key == (t.key | shape)) {
      both[k] = memo.to;
      continue;
    }
    found[k] = is_write ? write(t, b) : read(t, b, a.alone);
    both[k] = found[k].to;
    if (found[k].earlier) {
      raced = true;
    } else if (!t.everything_slow) {
      if (!is_own(both[k])) memo = {b, both[k], t.key | shape, 0};
      if (!is_write) know_shared(t, both[k]);
    }
  }
  const std::uint64_t to = both[0] | std::uint64_t{both[1]} << 32;
  if (to != now || raced) remember(t, a);
  if (to != now && !change_halves(h, now, to, mine)) return false;
  if (!raced) return true;
  for (unsigned k = first; k <= last; ++k) {
    const unsigned from = low > k * 4 ? low : k * 4;
    const unsigned end = high < k * 4 + 4 ? high : k * 4 + 4;
    note(t, a, g + from, end - from, found[k]);
  }
  return true;
}

}  // namespace redflag::live
