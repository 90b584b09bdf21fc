// Shared mappings come and go: which of their pages have one history (aliases.h).
//
// With the world stopped, so that no thread is between looking for a cell and changing it.
#include "core/live/detector.h"

namespace redflag::live {

// The cells of [from, from + size) go to `to`; nothing was there. Both are whole pages of the program.
void Detector::move_cells(std::uint64_t from, std::uint64_t size, std::uint64_t to) {
  constexpr std::uint64_t kRegion = std::uint64_t{1} << kRegionShift;
  for (std::uint64_t at = from; at < from + size; at += kOsPage) {
    if (at % kRegion == 0 && from + size - at >= kRegion &&
        (LinearMemory::region(at).load(std::memory_order_relaxed) & kMarked) == 0) {
      at += kRegion - kOsPage;
      continue;
    }
    if (LinearMemory::page(at).load(std::memory_order_relaxed) == 0) continue;
    for (std::uint64_t g = at; g < at + kOsPage; g += kGranule) {
      const std::uint64_t there = to + (g - from);
      cells.move(g, there);
      const std::uint32_t first = LinearMemory::records(g).exchange(0, std::memory_order_relaxed);
      if (first == 0) continue;
      for (std::uint32_t i = first; i != 0; i = records[i].next.load(std::memory_order_relaxed)) {
        records[i].granule.store(there, std::memory_order_relaxed);
      }
      LinearMemory::records(there).store(first, std::memory_order_relaxed);
      LinearMemory::mark(there, kHasRecords);
    }
  }
}

void Detector::mapped(Thread* t, std::uint64_t addr, std::uint64_t size, const Backing& of,
                      std::uint64_t offset) {
  world.stop(t);
  Aliases& all = aliases;
  for (std::uint64_t done = 0; done < size;) {
    const std::uint64_t wanted = offset + done;
    std::uint64_t piece = size - done;
    std::uint64_t home = 0;
    for (std::uint32_t i = 0; i < all.count(); ++i) {
      const Mapping& m = all.at(i);
      if (m.of != of) continue;
      if (m.offset > wanted && m.offset - wanted < piece) piece = m.offset - wanted;
      if (wanted < m.offset || wanted - m.offset >= m.size) continue;
      if (m.home == 0 && all.settle(i)) move_cells(m.begin, m.size, m.home);
      const std::uint64_t inside = wanted - m.offset;
      if (m.home != 0) home = m.home + inside;
      if (m.size - inside < piece) piece = m.size - inside;
      break;
    }
    if (!all.insert({addr + done, piece, of, wanted, home})) break;
    done += piece;
  }
  world.resume(t);
}

void Detector::unmapped(Thread* t, std::uint64_t addr, std::uint64_t size) {
  Aliases& all = aliases;
  if (t != nullptr) world.enter(*t);
  const bool touched = all.touches(addr, size);
  if (t != nullptr) world.leave(*t);
  if (!touched) return;
  world.stop(t);
  for (std::uint32_t i = 0; i < all.count();) {
    const Mapping& m = all.at(i);
    if (m.begin >= addr + size || m.end() <= addr) {
      ++i;
      continue;
    }
    const Mapping gone = all.cut_out(i, addr, addr + size);
    i = 0;  // what is left of it was put back somewhere
    if (gone.home != 0) forget_home(gone.home, gone.size);
  }
  world.resume(t);
}

// What nobody has mapped any more has no history.
void Detector::forget_home(std::uint64_t home, std::uint64_t size) {
  const Aliases& all = aliases;
  for (std::uint64_t at = home, end = home + size; at < end;) {
    std::uint64_t next = end;
    bool used = false;
    for (std::uint32_t i = 0; i < all.count() && !used; ++i) {
      const Mapping& m = all.at(i);
      if (m.home == 0) continue;
      used = at - m.home < m.size;
      if (used) {
        next = m.home + m.size < end ? m.home + m.size : end;
      } else if (m.home > at && m.home < next) {
        next = m.home;
      }
    }
    if (!used) forget_cells(at, next - at);
    at = next;
  }
}

}  // namespace redflag::live
