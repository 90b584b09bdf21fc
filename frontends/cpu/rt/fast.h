// The fast path: what most accesses cost.
//
// The cell stands at a constant distance from the memory (core/live/linear.h). Has this thread, in this
// very epoch, accessed these bytes already, and nobody else come in between? Then there is nothing to
// do: a load and a compare (core/live/usual.h). Otherwise one call checks the access.
// Budget, held by fast_test.py: no register saved, nothing called, 16 instructions for a write, 24 for a
// read.
#pragma once

#include "frontends/cpu/rt/thread.h"

namespace redflag::rt {

[[gnu::noinline]] void slow_access(std::uint64_t addr, std::uint32_t how, std::uint64_t pc);
bool slow_by(const void* function, std::uint64_t addr, std::uint32_t n, bool is_write,
             std::uint64_t pc);
inline constexpr std::uint32_t kWriteBit = 0x100;  // of `how`; its lower bits are the size
inline constexpr std::uint32_t kVolatileBit = 0x200;
inline constexpr std::uint32_t kVptrBit = 0x400;
inline constexpr std::uint32_t kPolledBit = 0x800;

template <bool is_write>
[[gnu::always_inline]] inline bool is_done_at(std::uint64_t g, live::Entry bytes) {
  return live::is_done<is_write>(
      g_hot.me, live::LinearMemory::cell(g).load(std::memory_order_relaxed), bytes);
}

// The bytes of an access of up to 8 bytes that lies in one granule.
template <unsigned size>
[[gnu::always_inline]] inline live::Entry bytes_at(std::uint64_t addr) {
  if (size >= live::kGranule) return live::kBytes;
  return ((live::Entry{1} << size % live::kGranule) - 1) << addr % live::kGranule;
}

// Of any alignment.
template <unsigned size, bool is_write>
[[gnu::always_inline]] inline bool is_known(std::uint64_t addr) {
  const std::uint64_t low = addr % live::kGranule;
  const std::uint64_t g = addr - low;
  if (size <= live::kGranule && low + size <= live::kGranule) [[likely]]
    return is_done_at<is_write>(g, bytes_at<size>(addr));
  constexpr unsigned kTwo = 2 * live::kGranule;
  if (size > kTwo || low > kTwo - size) return false;
  const std::uint64_t bytes = ((std::uint64_t{1} << size) - 1) << low;
  return is_done_at<is_write>(g, bytes & live::kBytes) &&
         is_done_at<is_write>(g + live::kGranule,
                              static_cast<live::Entry>(bytes >> live::kGranule));
}

// Of natural alignment, as compilers promise for the calls without "unaligned" in their name.
template <unsigned size, bool is_write>
[[gnu::always_inline]] inline void check(const volatile void* p, std::uint64_t pc,
                                         std::uint32_t flags = 0) {
  const auto addr = reinterpret_cast<std::uint64_t>(p);
  if constexpr (size <= live::kGranule) {
    const std::uint64_t g = addr & ~std::uint64_t{live::kGranule - 1};
    if (is_done_at<is_write>(g, bytes_at<size>(addr))) [[likely]]
      return;
  } else if (is_known<size, is_write>(addr)) {
    return;
  }
  slow_access(addr, size | (is_write ? kWriteBit : 0) | flags, pc);
}

template <unsigned size, bool is_write>
[[gnu::always_inline]] inline void check_unaligned(const volatile void* p, std::uint64_t pc) {
  const auto addr = reinterpret_cast<std::uint64_t>(p);
  if (is_known<size, is_write>(addr)) return;
  slow_access(addr, size | (is_write ? kWriteBit : 0), pc);
}

// n bytes that `function`, called from pc, reads or writes: the copies of small structs. False: a
// LibraryCall is needed.
template <bool is_write>
[[gnu::always_inline]] inline bool check_by(const void* function, std::uint64_t addr, std::size_t n,
                                            std::uint64_t pc) {
  if (n > live::Brief::kMostBytes) return false;
  return slow_by(function, addr, static_cast<std::uint32_t>(n), is_write, pc);
}

}  // namespace redflag::rt
