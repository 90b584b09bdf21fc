// The hot path of SlimFast: one access to one granule.
//
// Budget: a same-epoch access is a load of the handle, a subtraction and a compare; an access to a
// location whose history this thread met before in this epoch is one more compare and the store of
// the new handle. Everything else is granule_slow(), out of line. bench/run core measures it.
#pragma once

#include "core/detect/slimfast/slimfast.h"

namespace redflag::slimfast {

// Decides h without looking at its history, if that is possible: true, and h is what the cell
// becomes.
template <SlimFast::Op op, SlimFast::Mode mode>
[[gnu::always_inline]] inline bool SlimFast::settled(ThreadState& t, Handle& h) {
  if constexpr (op == Op::kRead) {
    const std::uint32_t offset = bits(h) - t.base;
    if (offset < t.room) [[likely]] {
      // Word 0: this epoch wrote it, which conflicts with all that a read conflicts with, and more.
      ++counts_[static_cast<std::size_t>(offset == 0 ? SlimRule::kReadOwnWrite
                                                     : SlimRule::kReadSameEpoch)];
      return true;
    }
    if constexpr (mode == Mode::kDistinct) return false;
    const Memo& memo = t.read_memo[memo_of(h)];
    if (memo.from != h || memo.to == kNone) return false;
    ++counts_[static_cast<std::size_t>(memo.rule)];
    h = memo.to;
    return true;
  } else {
    if (bits(h) == t.base) [[likely]] {
      ++counts_[static_cast<std::size_t>(SlimRule::kWriteSameEpoch)];
      return true;
    }
    if constexpr (op == Op::kWrite && mode == Mode::kShared) {
      const Memo& memo = t.write_memo[memo_of(h)];
      if (memo.from != h || memo.to == kNone) return false;
      ++counts_[static_cast<std::size_t>(memo.rule)];
      h = memo.to;
      return true;
    }
    return false;
  }
}

template <SlimFast::Op op, SlimFast::Mode mode>
[[gnu::always_inline]] inline void SlimFast::granule(ThreadState& t, Context& at, Handle& cell) {
  Handle h = cell;
  if (settled<op, mode>(t, h)) [[likely]] {
    if (h == cell) return;
    if (at.high - at.low == kGranuleBytes) {
      cell = h;
    } else {
      set_bytes(cell, at.low, at.high, h);
    }
    return;
  }
  granule_slow<op, mode>(t, at, cell);
}

// A plain access to a whole granule kept as a pair: FastTrack's rules in place. False: not decided
// here.
template <SlimFast::Op op>
[[gnu::always_inline]] inline bool SlimFast::pair_granule(ThreadState& t, const Context& at,
                                                          PairCell& cell) {
  const ThreadClock& clock = *t.clock;
  const auto counted = [this](SlimRule rule) {
    ++counts_[static_cast<std::size_t>(rule)];
    return true;
  };
  if constexpr (op == Op::kRead) {
    if (cell.read == t.epoch.bits()) return counted(SlimRule::kReadSameEpoch);
    if (cell.has_handle()) return false;
    if (cell.write == t.epoch) return counted(SlimRule::kReadOwnWrite);
    const Epoch r = cell.read_epoch();
    if (!clock.covers(r)) return false;  // a second reader: that needs a shared history
    if (!r && !clock.covers(cell.write)) race(t, at, cell.write, EventKind::kWrite);
    cell.read = t.epoch.bits();
    return counted(SlimRule::kReadPaired);
  } else {
    if (cell.write == t.epoch) return counted(SlimRule::kWriteSameEpoch);
    if (cell.has_handle()) return false;
    const Epoch r = cell.read_epoch();
    if (!clock.covers(cell.write)) {
      race(t, at, cell.write, EventKind::kWrite);
    } else if (!clock.covers(r)) {
      race(t, at, r, EventKind::kRead);
    }
    cell.set(t.epoch, Epoch{});
    return counted(SlimRule::kWriteExcl);
  }
}

// Bytes [begin, end) of a page, granule by granule.
template <SlimFast::Op op, SlimFast::Mode mode>
inline void SlimFast::part(ThreadState& t, Context& at, std::uint64_t page, std::uint32_t begin,
                           std::uint32_t end) {
  if constexpr (!atomic(op)) {
    if (end - begin == kPageBytes && shadow_.whole(page) != nullptr)
      return whole_page<op>(t, at, page);
  }
  auto& cells = shadow_.page(page).cells;
  for_each_granule(page, begin, end,
                   [&](Addr granule_addr, std::size_t cell, unsigned low, unsigned high) {
                     at.granule = granule_addr;
                     at.low = low;
                     at.high = high;
                     granule<op, mode>(t, at, cells[cell]);
                   });
  races_.flush();
  if (end - begin == kPageBytes) collapse_if_equal(page);
}

template <SlimFast::Op op, SlimFast::Mode mode>
[[gnu::always_inline]] inline void SlimFast::access(const Event& e, EventIndex index) {
  ThreadState& t = state(e.thread);
  Context at{e, index};
  const auto low = static_cast<unsigned>(e.object % kGranuleBytes);
  if (low + e.size <= kGranuleBytes) [[likely]] {
    const std::uint64_t page = page_of(e.addr());
    if (!options_.shard.owns(page)) return;
    at.granule = Addr{e.object - low};
    at.low = low;
    at.high = low + e.size;
    if constexpr (mode == Mode::kDistinct && !atomic(op)) {
      PairCell* pair = pairs_.cached(e.addr());
      if (pair != nullptr && e.size == kGranuleBytes && pair_granule<op>(t, at, *pair)) [[likely]] {
        races_.flush();
        return;
      }
    }
    granule<op, mode>(t, at, shadow_.page(page).cells[e.object % kPageBytes / kGranuleBytes]);
    races_.flush();
    return;
  }
  for_each_page(e.addr(), e.size, [&](std::uint64_t page, std::uint32_t begin, std::uint32_t end) {
    if (options_.shard.owns(page)) part<op, mode>(t, at, page, begin, end);
  });
}

}  // namespace redflag::slimfast
