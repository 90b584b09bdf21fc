// The fast path: what most accesses cost.
//
// First, does the access go on with what its instruction did before: the next element of a loop, or
// the same variable again? Then it is noted there, and checked with the others (core/live/runs.cpp);
// the shadow is not even looked at. Otherwise, is its cell one of the thread's own handles: was it
// written, or read, in this very epoch, and nobody else came in between? Then there is nothing to do.
// Budgets, held by fast_test.py: no register saved, nothing called; 20 instructions for the first, 28
// for both.
#pragma once

#include "frontends/cpu/rt/thread.h"

namespace redflag::rt {

[[gnu::noinline]] void slow_access(std::uint64_t addr, std::uint32_t how, std::uint64_t pc);
[[gnu::noinline]] void equal_halves(std::uint64_t addr);
bool slow_by(const void* function, std::uint64_t addr, std::uint32_t n, bool is_write,
             std::uint64_t pc);
inline constexpr std::uint32_t kWriteBit = 0x100;  // of `how`; its lower bits are the size
inline constexpr std::uint32_t kVolatileBit = 0x200;
inline constexpr std::uint32_t kVptrBit = 0x400;
inline constexpr std::uint32_t kPolledBit = 0x800;

template <unsigned size, bool is_write>
inline constexpr std::uint32_t kShape =
    live::AccessLog::shape_of(size, is_write ? live::LogKind::kWrite : live::LogKind::kRead, 0);

// The bytes [low, high) of the granule at g: were they written, or read, in this epoch?
[[gnu::always_inline]] inline bool is_known(std::uint64_t g, unsigned low, unsigned high,
                                            bool is_write) {
  live::Detector& d = g_runtime.detector;
  return d.knows_bytes({g_hot.base, is_write ? 1 : g_hot.room, is_write ? nullptr : g_hot.shared},
                       d.shadow.find(g), low, high);
}

// An instruction whose accesses do not wait: all that is to be known of one is looked up there.
template <unsigned size, bool is_write>
[[gnu::always_inline]] inline bool at_once(live::AccessLog::Open& o, std::uint64_t addr,
                                           std::uint64_t pc) {
  if (o.at_once == 0 || o.pc != pc || o.shape != kShape<size, is_write>) return false;
  live::Thread& t = *g_hot.thread;  // it has an open run, so it is one
  if (live::is_inside(t.inside.load(std::memory_order_relaxed)) || t.direct) return false;
  --o.at_once;
  g_runtime.detector.check_at_once<is_write>(t, addr, size, pc);
  return true;
}

// An access that nothing is known of: with others of its instruction.
template <unsigned size, bool is_write>
[[gnu::always_inline]] inline void new_access(live::AccessLog::Open& o, std::uint64_t addr,
                                              std::uint64_t pc) {
  if (o.list != nullptr &&
      live::AccessLog::gather(o, pc, g_hot.top[-1].node, kShape<size, is_write>, addr)) {
    return;
  }
  slow_access(addr, size | (is_write ? kWriteBit : 0), pc);
}

// An access that reaches into the next granule, but not beyond.
template <unsigned size, bool is_write>
[[gnu::noinline]] void crossing_access(std::uint64_t addr, std::uint64_t pc) {
  const auto low = static_cast<unsigned>(addr % live::kGranule);
  const std::uint64_t g = addr - low;
  if (is_known(g, low, live::kGranule, is_write) &&
      is_known(g + live::kGranule, 0, low + size - live::kGranule, is_write)) {
    return;
  }
  new_access<size, is_write>(g_hot.opens[live::AccessLog::open_of(pc)], addr, pc);
}

// The second level: halves, bytes, histories of many readers; instructions that go through an index
// or pointers. One function per size, so that the access's shape is a constant.
template <unsigned size, bool is_write>
[[gnu::noinline]] void next_access(std::uint64_t addr, std::uint64_t pc) {
  live::AccessLog::Open& o = g_hot.opens[live::AccessLog::open_of(pc)];
  if (at_once<size, is_write>(o, addr, pc)) return;
  if (o.blind == 0 && size <= live::kGranule) {
    const auto low = static_cast<unsigned>(addr % live::kGranule);
    if (low + size > live::kGranule) return crossing_access<size, is_write>(addr, pc);
    if (is_known(addr - low, low, low + size, is_write)) {
      if (size == live::kGranule && live::is_halves(*g_runtime.detector.shadow.find(addr))) {
        equal_halves(addr);
      }
      return;
    }
  }
  new_access<size, is_write>(o, addr, pc);
}

// Of any alignment.
template <unsigned size, bool is_write>
[[gnu::always_inline]] inline void check_unaligned(const volatile void* p, std::uint64_t pc) {
  const auto addr = reinterpret_cast<std::uint64_t>(p);
  live::AccessLog::Open& o = g_hot.opens[live::AccessLog::open_of(pc)];
  if (o.next == addr &&
      live::AccessLog::extend(o, pc, g_hot.top[-1].node, kShape<size, is_write>, addr)) {
    return;
  }
  next_access<size, is_write>(addr, pc);
}

template <unsigned size, bool is_write>
[[gnu::always_inline]] inline void check(const volatile void* p, std::uint64_t pc,
                                         std::uint32_t flags = 0) {
  const auto addr = reinterpret_cast<std::uint64_t>(p);
  if (flags == 0) {
    live::AccessLog::Open& o = g_hot.opens[live::AccessLog::open_of(pc)];
    if (o.next == addr &&
        live::AccessLog::extend(o, pc, g_hot.top[-1].node, kShape<size, is_write>, addr)) {
      return;
    }
    if (o.blind != 0) return next_access<size, is_write>(addr, pc);
  }
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
    if (size <= 4 && live::is_halves(h)) {
      const std::uint64_t word =
          g_runtime.detector.halves[live::halves_index(h)].word.load(std::memory_order_acquire);
      const std::uint32_t half = live::Halves::half(word, addr / 4 % 2);
      if ((is_write ? half == g_hot.base : half - g_hot.base < g_hot.room) &&
          cell->load(std::memory_order_relaxed) == h) {
        if (static_cast<std::uint32_t>(word) == word >> 32) return equal_halves(addr);
        return;
      }
    }
  }
  if (flags == 0) return next_access<size, is_write>(addr, pc);
  slow_access(addr, size | (is_write ? kWriteBit : 0) | flags, pc);
}

// The same for n bytes that `function`, called from pc, reads or writes: the copies of small structs.
template <bool is_write>
[[gnu::always_inline]] inline bool check_by(const void* function, std::uint64_t addr, std::size_t n,
                                            std::uint64_t pc) {
  if (n > 0xffff) return false;
  const std::uint32_t i = live::AccessLog::open_of(pc) ^ (is_write ? 1 : 0);
  live::AccessLog::Open& o = g_hot.opens[i];
  const auto kind = is_write ? live::LogKind::kWrite : live::LogKind::kRead;
  const std::uint32_t shape = live::AccessLog::shape_of(static_cast<std::uint32_t>(n), kind, 0);
  if (o.next == addr && live::AccessLog::extend(o, pc, g_hot.top[-1].node, shape, addr))
    return true;
  if (o.list != nullptr && live::AccessLog::gather(o, pc, g_hot.top[-1].node, shape, addr)) {
    return true;
  }
  return slow_by(function, addr, static_cast<std::uint32_t>(n), is_write, pc);
}

}  // namespace redflag::rt
