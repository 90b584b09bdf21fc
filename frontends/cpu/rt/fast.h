// The fast path: what most accesses cost.
//
// The cell is one of the thread's own handles: it was written, or read, in this very epoch, and
// nobody else came in between. Otherwise the access goes on with the run of its instruction, to be
// checked with it; only where a run begins or ends the slow side decides. Budgets, held by
// fast_test.py: no register saved, no call before the return, at most 22 and 40 instructions.
#pragma once

#include "frontends/cpu/rt/thread.h"

namespace redflag::rt {

[[gnu::noinline]] void slow_access(std::uint64_t addr, std::uint32_t how, std::uint64_t pc);
inline constexpr std::uint32_t kWriteBit = 0x100;  // of `how`; its lower bits are the size
inline constexpr std::uint32_t kVolatileBit = 0x200;
inline constexpr std::uint32_t kVptrBit = 0x400;

// The second level: the access goes on with a run and is checked with it (core/live/log.h). One
// function per size, so that the access's shape is a constant; no calls but the last, so that no
// register is saved.
template <unsigned size, bool is_write>
[[gnu::noinline]] void next_access(std::uint64_t addr, std::uint64_t pc) {
  live::Thread* t = g_hot.thread;
  constexpr std::uint32_t how = size | (is_write ? kWriteBit : 0);
  constexpr auto kind = is_write ? live::LogKind::kWrite : live::LogKind::kRead;
  if (t != nullptr &&
      g_runtime.detector.wait(*t, addr, live::AccessLog::shape_of(size, kind, 0), pc)) [[likely]] {
    return;
  }
  slow_access(addr, how, pc);
}

template <unsigned size, bool is_write>
[[gnu::always_inline]] inline void check(const volatile void* p, std::uint64_t pc,
                                         std::uint32_t flags = 0) {
  const auto addr = reinterpret_cast<std::uint64_t>(p);
  const std::uintptr_t biased = g_runtime.detector.shadow.biased(addr);
  if (biased != 0) [[likely]] {
    const auto* cell = reinterpret_cast<const live::Cell*>(biased + addr / live::kGranule * 4);
    const std::uint32_t h = cell->load(std::memory_order_relaxed);
    bool known = is_write ? h == g_hot.base : h - g_hot.base < g_hot.room;
    if constexpr (size == 16) {
      const std::uint32_t h2 = cell[1].load(std::memory_order_relaxed);
      known = known && (is_write ? h2 == g_hot.base : h2 - g_hot.base < g_hot.room);
    }
    if (known) [[likely]]
      return;
  }
  if (flags == 0) return next_access<size, is_write>(addr, pc);
  slow_access(addr, size | (is_write ? kWriteBit : 0) | flags, pc);
}

}  // namespace redflag::rt
