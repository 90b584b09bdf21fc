// What several threads read again and again between short critical sections.
//
// A history of several readers is immutable and shared, which serves arrays that all threads read:
// one history for all of it. Where each epoch reads only a few such granules, every reader makes a new
// history in every epoch, with all other readers copied. So where equal histories have not been found
// lately, a granule gets one of its own, and a reader that is in it already puts its new epoch in the
// place of its old one. The cell stays as it is, and so does what others know of it (Hot::shared).
//
// Only readers of the whole (the granule, or the half that holds it) may, and only while it is open.
// Whoever needs more, a writer, a reader of some bytes, a reader who is not in it yet, settles it
// first: from then on it is as immutable as the others. Reader: store the epoch, then see that it is
// open. Settler: close it, then read the epochs. So one of the two sees the other (Dekker), and a reader
// who finds it closed takes its epoch back and goes by the rules: whoever closed it may have missed it.
#include "core/live/detector.h"

namespace redflag::live {

void Detector::settle(std::uint32_t h) {
  if (!is_own(h)) return;
  std::atomic<std::uint32_t>& open = shared[shared_index(h)].open;
  if (open.load(std::memory_order_acquire) != 0) open.exchange(0, std::memory_order_seq_cst);
}

// A read of all that has the history h. False: the rules must say.
bool Detector::read_own(Thread& t, std::uint32_t h) {
  SharedHistory& s = shared[shared_index(h)];
  if (s.open.load(std::memory_order_acquire) == 0 || !t.clock.covers(s.write)) return false;
  const Epoch me = t.clock.epoch;
  std::atomic<std::uint64_t>* const reads = s.reads();
  for (std::uint32_t i = 0; i < s.readers; ++i) {
    const std::uint64_t before = reads[i].load(std::memory_order_relaxed);
    if (Epoch::from_bits(before).slot() != me.slot()) continue;
    if (before != me.bits()) {
      reads[i].store(me.bits(), std::memory_order_seq_cst);
      if (s.open.load(std::memory_order_seq_cst) == 0) {
        reads[i].store(before, std::memory_order_relaxed);
        return false;
      }
    }
    know_shared(t, h);
    return true;
  }
  return false;
}

}  // namespace redflag::live
