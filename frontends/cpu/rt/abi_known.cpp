// The second look of our own pass's calls: is the access known after all?
//
// By a half, by its bytes, by a history of several readers: what the comparison in the program's code
// does not see (frontends/cpu/pass/lower.cpp). Keeps every register but the one it answers in, so the
// assembly around it (abi_check.cpp) saves nothing else: compiled without vector registers, and calls
// nothing. Detector::knows_bytes says the same; but written for all cases at once, it needs so many
// registers that saving them costs more than the answer.
#include "frontends/cpu/rt/fast.h"

namespace redflag::rt {
namespace {

// One of the thread's own handles, or a history of several readers that it is in.
template <bool is_write>
[[gnu::always_inline]] inline bool has(std::uint32_t h) {
  if (is_write) return h == g_hot.base;
  return h - g_hot.base < g_hot.room || (h != 0 && g_hot.shared[live::Hot::place_of(h)] == h);
}

// The bytes [at, stop) of a granule: by its halves, and if `by_bytes`, one by one.
template <bool is_write, bool by_bytes>
[[gnu::always_inline]] inline bool knows_part(std::uint64_t at, std::uint64_t stop) {
  const std::uintptr_t biased = g_runtime.detector.shadow.biased(at);
  if (biased == 0) return false;
  const auto* cell = reinterpret_cast<const live::Cell*>(biased) + at / live::kGranule;
  const std::uint32_t h = cell->load(std::memory_order_acquire);
  if (has<is_write>(h)) return true;
  if (!live::is_halves(h)) {
    if (!by_bytes || live::form(h) != live::Form::kSplit) return false;
    const auto* bytes = g_runtime.detector.splits[live::split_index(h)].bytes;
    for (; at < stop; ++at) {
      if (!has<is_write>(bytes[at % live::kGranule].load(std::memory_order_relaxed))) return false;
    }
    std::atomic_thread_fence(std::memory_order_acquire);
    return cell->load(std::memory_order_relaxed) == h;
  }
  const std::uint64_t word =
      g_runtime.detector.halves[live::halves_index(h)].word.load(std::memory_order_acquire);
  const bool low = at % live::kGranule < 4;
  const bool high = (stop - 1) % live::kGranule >= 4;
  if (low && !has<is_write>(live::Halves::half(word, 0))) return false;
  if (high && !has<is_write>(live::Halves::half(word, 1))) return false;
  // Another granule may have got the halves meanwhile: then the cell does not lead there any more.
  return cell->load(std::memory_order_relaxed) == h;
}

template <bool is_write>
[[gnu::always_inline]] inline bool known_bytes(std::uint64_t addr, std::size_t n) {
  for (std::uint64_t at = addr, end = addr + n; at < end;) {
    const std::uint64_t next = at / live::kGranule * live::kGranule + live::kGranule;
    const std::uint64_t stop = end < next ? end : next;
    if (!knows_part<is_write, true>(at, stop)) return false;
    at = stop;
  }
  return true;
}

// The bytes of one granule, mostly.
template <bool is_write, bool by_bytes>
[[gnu::always_inline]] inline bool known_small(std::uint64_t addr, std::size_t n) {
  if (addr % live::kGranule + n > live::kGranule) return false;
  return knows_part<is_write, by_bytes>(addr, addr + n);
}

// One granule, or the two of 16 bytes, known as a whole.
template <bool is_write, unsigned size>
[[gnu::always_inline]] inline bool is_same_epoch(std::uint64_t addr, std::size_t) {
  const std::uintptr_t biased = g_runtime.detector.shadow.biased(addr);
  if (biased == 0 || (size <= live::kGranule && addr % live::kGranule + size > live::kGranule) ||
      (size > live::kGranule && addr % live::kGranule != 0)) {
    return false;
  }
  const auto* cell = reinterpret_cast<const live::Cell*>(biased) + addr / live::kGranule;
  for (unsigned k = 0; k < (size + live::kGranule - 1) / live::kGranule; ++k) {
    const std::uint32_t apart = cell[k].load(std::memory_order_relaxed) - g_hot.base;
    if (is_write ? apart != 0 : apart >= g_hot.room) return false;
  }
  return true;
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
// The first look, for checks that are not in line: the same comparison.
#define REDFLAG_FIRST(size)                                                  \
  REDFLAG_KNOWN(__redflag_check_read##size, (is_same_epoch<false, size>), 0) \
  REDFLAG_KNOWN(__redflag_check_write##size, (is_same_epoch<true, size>), 0)
REDFLAG_FIRST(1)
REDFLAG_FIRST(2)
REDFLAG_FIRST(4)
REDFLAG_FIRST(8)
REDFLAG_FIRST(16)

#define REDFLAG_SIZE(size, by_bytes)                                        \
  REDFLAG_KNOWN(__redflag_read##size, (known_small<false, by_bytes>), size) \
  REDFLAG_KNOWN(__redflag_write##size, (known_small<true, by_bytes>), size)
REDFLAG_SIZE(1, true)
REDFLAG_SIZE(2, true)
REDFLAG_SIZE(4, false)
REDFLAG_SIZE(8, false)
REDFLAG_KNOWN(__redflag_read16, known_bytes<false>, 16)
REDFLAG_KNOWN(__redflag_write16, known_bytes<true>, 16)
REDFLAG_KNOWN(__redflag_read_n, known_bytes<false>, n)
REDFLAG_KNOWN(__redflag_write_n, known_bytes<true>, n)
