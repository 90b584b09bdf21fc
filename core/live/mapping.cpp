// Shared mappings come and go: which of their pages have one history (aliases.h).
//
// With the world stopped, so that no thread is between looking for a cell and changing it. What other
// threads have waiting is checked by the program's addresses, whenever that is, and so finds the cells
// where they are by then.
#include "core/live/detector.h"

namespace redflag::live {

// The cells of [from, from + size) go to `to`; nothing was there. Both are whole pages of the program.
void Detector::move_cells(std::uint64_t from, std::uint64_t size, std::uint64_t to) {
  constexpr std::uint64_t kChunk = std::uint64_t{1} << 18;
  constexpr std::uint64_t kPages = kChunk / kGranule * sizeof(Cell) / kOsPage;
  for (std::uint64_t at = from, end = from + size; at < end;) {
    const std::uint64_t next = (at / kChunk + 1) * kChunk;  // regions consist of chunks
    const std::uint64_t stop = next < end ? next : end;
    Cell* cell = shadow.find(at);
    unsigned char resident[kPages];
    // Of the whole chunk, whose shadow begins with a page.
    const bool known = cell != nullptr &&
                       os_resident(shadow.find(at / kChunk * kChunk), kPages * kOsPage, resident);
    for (std::uint64_t g = at; cell != nullptr && g < stop; g += kGranule, ++cell) {
      if (known && (resident[g % kChunk / kGranule * sizeof(Cell) / kOsPage] & 1) == 0) {
        const std::uint64_t page = kOsPage / sizeof(Cell) * kGranule;
        const std::uint64_t skipped = (g / page + 1) * page - kGranule - g;
        g += skipped;
        cell += skipped / kGranule;
        continue;
      }
      const std::uint32_t h = cell->load(std::memory_order_relaxed);
      if (h == 0) continue;
      shadow.get(to + (g - from)).store(h, std::memory_order_relaxed);
      cell->store(0, std::memory_order_relaxed);
    }
    at = stop;
  }
}

void Detector::mapped(Thread* t, std::uint64_t addr, std::uint64_t size, const Backing& of,
                      std::uint64_t offset) {
  world.stop(t);
  Aliases& all = shadow.aliases;
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
  Aliases& all = shadow.aliases;
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
  const Aliases& all = shadow.aliases;
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
