// Memory with a new life: what happened to it before is forgotten.
//
// Records in it (atomics, locks) go with it. The marks of pages say what there is to forget, so memory
// that nobody accessed costs a byte for each 4 KiB. Cells are overwritten by plain stores unless the
// word says that there is more than the word, or somebody works on it: in a program that is right
// nobody does.
#include "core/live/detector.h"

namespace redflag::live {
namespace {

// Calls f(begin, end) for each piece of [begin, end) that lies in one page; not for large ones of
// which nothing is known.
template <typename F>
void for_each_piece(std::uint64_t begin, std::uint64_t end, F&& f) {
  constexpr std::uint64_t kRegion = std::uint64_t{1} << kRegionShift;
  for (std::uint64_t at = begin; at < end;) {
    const bool skips = at % kRegion == 0 &&
                       (LinearMemory::region(at).load(std::memory_order_relaxed) & kMarked) == 0;
    const std::uint64_t step = skips ? kRegion : kOsPage;
    const std::uint64_t piece_end = (at / step + 1) * step;
    const std::uint64_t stop = piece_end < end ? piece_end : end;
    if (!skips) f(at, stop);
    at = stop;
  }
}

// Is the whole state of the granule in this word?
bool is_plain(std::uint64_t word) {
  return (static_cast<Entry>(word) & kFiner) == 0;
}

std::uint64_t granules_from(std::uint64_t addr) {
  return addr / kGranule * kGranule;
}
std::uint64_t granules_to(std::uint64_t end) {
  return (end + kGranule - 1) / kGranule * kGranule;
}

}  // namespace

void Detector::forget(std::uint64_t addr, std::uint64_t size) {
  if (addr >= kAddressLimit) return;
  for (std::uint64_t at = addr, end = addr + size; at < end;) {
    std::uint64_t piece = end - at;
    const std::uint64_t there = aliases.any() ? aliases.home(at, piece) : at;
    forget_cells(granules_from(there), granules_to(there + piece) - granules_from(there));
    at += piece;
  }
}

void Detector::forget_cells(std::uint64_t begin, std::uint64_t size) {
  const bool is_large = size >= kLarge;
  for_each_piece(begin, begin + size, [&](std::uint64_t at, std::uint64_t end) {
    LinearMemory::Mark& mark = LinearMemory::page(at);
    const std::uint8_t has = mark.load(std::memory_order_relaxed);
    if (has == 0) return;
    for (std::uint64_t g = at; g < end && (has & kHasRecords) != 0; g += kGranule) {
      if (LinearMemory::records(g).load(std::memory_order_relaxed) != 0) drop_records(g);
    }
    if ((has & kHasReaders) != 0) cells.readers.forget(at, end - at);
    for (std::uint64_t g = at; g < end; g += kGranule) {
      Word& cell = LinearMemory::cell(g);
      const std::uint64_t word = cell.load(std::memory_order_relaxed);
      if (word == 0) continue;
      if (is_plain(word)) {
        cell.store(0, std::memory_order_release);
      } else {
        cells.forget(g, kBytes);
      }
    }
    if (is_large && end - at == kOsPage) mark.store(0, std::memory_order_relaxed);
  });
  if (!is_large) return;
  const std::uint64_t first = (begin + kOsPage - 1) / kOsPage * kOsPage;
  LinearMemory::discard(first, (begin + size) / kOsPage * kOsPage);
}

void Detector::renew(Thread& t, std::uint64_t addr, std::uint64_t size) {
  if (size == 0) return;
  world.enter(t);
  forget(addr, size);
  world.leave(t);
}

void Detector::made(Thread& t, std::uint64_t addr, std::uint64_t size, std::uint64_t pc) {
  if (size == 0) return;
  if (size >= kLarge || aliases.any()) return renew(t, addr, size);
  world.enter(t);
  const std::uint64_t own = epoch_of(t.view.me) | kBytes;
  t.view.stamped = true;
  LinearMemory::mark(addr, kHasCells);
  LinearMemory::mark(addr + size - 1, kHasCells);
  for_each_piece(granules_from(addr), granules_to(addr + size),
                 [&](std::uint64_t at, std::uint64_t end) {
                   const std::uint8_t has = LinearMemory::page(at).load(std::memory_order_relaxed);
                   for (std::uint64_t g = at; g < end && (has & kHasRecords) != 0; g += kGranule) {
                     if (LinearMemory::records(g).load(std::memory_order_relaxed) != 0)
                       drop_records(g);
                   }
                   if ((has & kHasReaders) != 0) cells.readers.forget(at, end - at);
                   LinearMemory::mark(at, kHasCells);
                   for (std::uint64_t g = at; g < end; g += kGranule) {
                     Word& cell = LinearMemory::cell(g);
                     if (is_plain(cell.load(std::memory_order_relaxed))) [[likely]] {
                       cell.store(own, std::memory_order_release);
                     } else {
                       cells.made(t.view, g, kBytes);
                     }
                   }
                 });
  Access a{addr, size, pc, LogKind::kWrite};
  note(t, a);
  world.leave(t);
  sweep_if_due(t);
}

}  // namespace redflag::live
