// Are all bytes of a range known: accessed in this epoch by this thread, and by nobody since?
//
// Many cells at a time: eight where the processor has AVX2, else four. What many threads read is known
// by one history mostly, that of the first cell (Hot::shared). Halves and bytes that differ are not
// looked into: no answer is "no". May be asked outside of the detector, as the fast path is (fast.h).
#pragma once

#include "frontends/cpu/rt/fast.h"

namespace redflag::rt {

// The cells' handles h with h - base < room; for a write `room` is 1.
[[gnu::target("avx2")]] bool all_within_avx2(const live::Cell* cells, std::size_t n,
                                             std::uint32_t base, std::uint32_t room);
bool all_within_sse2(const live::Cell* cells, std::size_t n, std::uint32_t base,
                     std::uint32_t room);
// Set before there is more than one thread (init.cpp).
[[gnu::visibility("hidden")]] extern bool g_has_avx2;

template <bool is_write>
[[gnu::always_inline]] inline bool knows_range(std::uint64_t addr, std::size_t n) {
  const std::uintptr_t biased = g_runtime.detector.shadow.biased(addr);
  const std::uint64_t last = addr + n - 1;
  if (biased == 0 || addr >> live::kRegionShift != last >> live::kRegionShift) return false;
  const auto* cells = reinterpret_cast<const live::Cell*>(biased) + addr / live::kGranule;
  const std::size_t count = last / live::kGranule - addr / live::kGranule + 1;
  std::uint32_t base = g_hot.base;
  std::uint32_t room = is_write ? 1 : g_hot.room;
  const std::uint32_t h = cells->load(std::memory_order_relaxed);
  if (h - base >= room) {
    if (is_write || h == 0 || g_hot.shared[live::Hot::place_of(h)] != h) return false;
    base = h;
    room = 1;
  }
  if (count <= 4) {
    for (std::size_t k = 1; k < count; ++k) {
      if (cells[k].load(std::memory_order_relaxed) - base >= room) return false;
    }
    return true;
  }
  return g_has_avx2 ? all_within_avx2(cells, count, base, room)
                    : all_within_sse2(cells, count, base, room);
}

}  // namespace redflag::rt
