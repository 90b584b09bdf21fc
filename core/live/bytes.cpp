// Bytes: a granule whose single bytes go their own ways.
//
// What halves are to ints and floats (halves.cpp), this is to flags and characters: where equal splits
// have not been found lately, a granule gets a split of its own, in which the handles of bytes are
// changed one by one, by compare-and-swap, or by plain stores where the block has an owner. Each byte
// is a location by itself, so an access of several needs no more than that each is changed.
//
// Whoever needs all of it at once, because the whole granule is accessed or a record is to be put in,
// freezes byte by byte, so that nobody changes them any more, and puts an immutable split of what they
// were in its place; others look again until it is there. A sweep joins bytes that have become equal.
#include "core/live/detector.h"

namespace redflag::live {

void Detector::settle_bytes(Thread& t, Cell& cell, std::uint32_t h) {
  Split& own = splits[split_index(h)];
  std::uint32_t bytes[kGranule];
  for (unsigned k = 0; k < kGranule; ++k) {
    bytes[k] = own.bytes[k].exchange(Split::kFrozen, std::memory_order_acq_rel);
    // Another thread does it. It began with the first byte, so only there it can be met.
    if (bytes[k] == Split::kFrozen) return;
  }
  bool same = true;
  for (unsigned k = 1; k < kGranule; ++k) same = same && bytes[k] == bytes[0];
  const std::uint32_t to = same ? bytes[0] : new_split(bytes, &t, SplitForm::kShared);
  cell.compare_exchange_strong(h, to, std::memory_order_acq_rel);
}

// An access to [low, high) of a granule that has such a split. False: look again.
bool Detector::bytes_granule(Thread& t, Access& a, std::uint64_t g, Cell& cell, std::uint32_t h,
                             unsigned low, unsigned high, bool mine) {
  if (high - low == kGranule) {
    settle_bytes(t, cell, h);
    return false;
  }
  const bool is_write = wrote(a.kind);
  Split& own = splits[split_index(h)];
  for (unsigned i = low; i < high;) {
    const std::uint32_t b = own.bytes[i].load(std::memory_order_acquire);
    if (b == Split::kFrozen) return false;
    unsigned end = i + 1;
    while (end < high && own.bytes[end].load(std::memory_order_acquire) == b) ++end;
    const bool alone = end - i == 1;
    if (is_known(t, b, is_write)) {
      i = end;
      continue;
    }
    if (alone && !is_write && is_own(b) && !t.everything_slow) {
      remember(t, a);
      if (read_own(t, b)) {
        ++i;
        continue;
      }
    }
    const Step step = is_write ? write(t, b) : read(t, b, alone);
    if (step.to != b || step.earlier) remember(t, a);
    unsigned done = i;
    for (; done < end && step.to != b; ++done) {
      std::uint32_t from = b;
      if (mine) {
        own.bytes[done].store(step.to, std::memory_order_release);
      } else if (!own.bytes[done].compare_exchange_strong(from, step.to,
                                                          std::memory_order_acq_rel)) {
        break;
      }
    }
    if (step.to == b) done = end;
    if (done != i) note(t, a, g + i, done - i, step);
    if (done != end) return false;
    if (!is_write && !step.earlier) know_shared(t, step.to);
    i = end;
  }
  return true;
}

}  // namespace redflag::live
