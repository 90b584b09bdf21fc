// The first look of our own pass's calls: is there nothing to do?
//
// Keeps every register but the one it answers in, so the assembly around it (abi_check.cpp) saves
// nothing else: compiled without vector registers, and calls nothing. What several threads read is
// known by the thread's column (core/live/columns.h), which the comparison in the program's code does
// not see.
#include "frontends/cpu/rt/fast.h"

namespace redflag::rt {
namespace {

// Of any size and alignment.
template <bool is_write>
[[gnu::always_inline]] inline bool known_bytes(std::uint64_t addr, std::size_t n) {
  for (std::uint64_t g = addr & ~std::uint64_t{7}, end = addr + n; g < end; g += live::kGranule) {
    live::Entry bytes = live::kBytes;
    if (addr > g) bytes = bytes << (addr - g) & live::kBytes;
    if (end < g + live::kGranule) bytes &= (live::Entry{1} << (end - g)) - 1;
    if (is_done_at<is_write>(g, bytes)) continue;
    if (is_write || !g_hot.has_read(g, bytes)) return false;
  }
  return true;
}

template <bool is_write, unsigned size>
[[gnu::always_inline]] inline bool is_same_epoch(std::uint64_t addr, std::size_t) {
  return is_known<size, is_write>(addr);
}

}  // namespace
}  // namespace redflag::rt

#define REDFLAG_KNOWN(name, known, size)                                                          \
  extern "C"                                                                                      \
      [[gnu::used, gnu::visibility("hidden"), gnu::no_caller_saved_registers]] bool name##_known( \
          std::uint64_t p, [[maybe_unused]] std::size_t n) {                                      \
    using namespace redflag::rt;                                                                  \
    return known(p, size);                                                                        \
  }
// For checks that are not in line: the same comparison.
#define REDFLAG_FIRST(size)                                                  \
  REDFLAG_KNOWN(__redflag_check_read##size, (is_same_epoch<false, size>), 0) \
  REDFLAG_KNOWN(__redflag_check_write##size, (is_same_epoch<true, size>), 0)
REDFLAG_FIRST(1)
REDFLAG_FIRST(2)
REDFLAG_FIRST(4)
REDFLAG_FIRST(8)
REDFLAG_FIRST(16)

REDFLAG_KNOWN(__redflag_read_n, known_bytes<false>, n)
REDFLAG_KNOWN(__redflag_write_n, known_bytes<true>, n)
