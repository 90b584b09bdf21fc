// A process that never had a second thread, and that somebody listens to (listener.h).
//
// It has no races of its own, and never will have with what it did so far: a second thread begins with
// all of that behind it. So only accesses that the listener hears are checked, and these are forgotten
// whenever they are to be heard again. Of all other memory the cells say, piece by piece as it is
// touched, that the thread has written it in this epoch: that is all that the fast path asks. When a
// second thread begins, the epoch ends, and everything is checked again from then on.
//
// Nobody else looks at cells: plain loads and stores, many at a time.
#include "core/live/detector.h"

namespace redflag::live {
namespace {
constexpr std::uint64_t kPiece = 1024;  // bytes that are left out together
}

void Detector::forget_alone(std::uint64_t addr, std::uint64_t size) {
  const std::uint64_t begin = addr / kGranule * kGranule;
  for (std::uint64_t g = begin; g < addr + size; g += kGranule) {
    Word& cell = LinearMemory::cell(g);
    const std::uint64_t word = cell.load(std::memory_order_relaxed);
    if (word == 0) continue;
    const Pair p = Pair::of(word);
    if (epoch_of(p.write) != kMixed && (p.write & kFiner) == 0) {
      cell.store(0, std::memory_order_relaxed);
    } else {
      drop_records(g);
      cells.forget(g, kBytes);
    }
  }
}

// Aliased memory is not marked: its cells are elsewhere. Nor is what records have: they order threads
// that may come.
void Detector::leave_out(Thread& t, std::uint64_t addr) {
  const std::uint64_t begin = addr / kPiece * kPiece;
  if (addr >= kAddressLimit || aliases.any()) return;
  world.enter(t);
  const bool is_whole = !listener.hears(begin, begin + kPiece);
  t.view.stamped = true;
  LinearMemory::mark(begin, kHasCells);
  for (std::uint64_t g = begin; g < begin + kPiece; g += kGranule) {
    Word& cell = LinearMemory::cell(g);
    const Pair p = Pair::of(cell.load(std::memory_order_relaxed));
    if (epoch_of(p.write) == kMixed || (p.write & kFiner) != 0) continue;
    if (is_whole || !listener.hears(g, g + kGranule)) {
      cell.store(epoch_of(t.view.me) | kBytes, std::memory_order_relaxed);
    }
  }
  world.leave(t);
}

}  // namespace redflag::live
