// compact on shared memory: a shadow beside it, of the last read and the last write of each word.
//
// The host launches with three times the shared memory, and the shadow is behind the program's own:
// two words for each, loaded together (from its first address on, wherever that is). A read looks at the last write and takes the place of the
// last read, with a mark when another thread had read since the same barrier; a write looks at both.
// Each tells first and looks then, so that of two at the very same time one sees the other. Blocks begin with a clear
// shadow; times have nine bits, and the block clears it again when those begin again. Device code.
#pragma once

#include "frontends/cuda/device/compact_cells.h"

namespace redflag::device::compact {

inline constexpr std::uint32_t kShadowTimes = 1U << kShadowTimeBits;

// By all threads of the block. The program's memory ends at a multiple of 16 bytes.
REDFLAG_DEVICE void clear_shadow(std::uint32_t size) {
  const std::uint32_t step = block().size * 16, window = block().window;
  for (std::uint32_t at = window + size + thread_in_block() * 16; at < window + size * 3;
       at += step) {
    asm volatile("st.shared.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(at), "r"(0) : "memory");
  }
}

struct SharedPair {
  Shadow read, write;
};
REDFLAG_DEVICE SharedPair load_shadow(std::uint32_t at) {
  SharedPair pair;
  asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2];"
               : "=r"(pair.read.bits), "=r"(pair.write.bits)
               : "r"(at)
               : "memory");
  return pair;
}
REDFLAG_DEVICE void store_shadow(std::uint32_t at, Shadow shadow) {
  asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(at), "r"(shadow.bits) : "memory");
}

REDFLAG_DEVICE Shadow exchange_shadow(std::uint32_t at, Shadow shadow) {
  Shadow before;
  asm volatile("atom.shared.exch.b32 %0, [%1], %2;"
               : "=r"(before.bits)
               : "r"(at), "r"(shadow.bits)
               : "memory");
  return before;
}

REDFLAG_DEVICE void tell_shared(const Doing& doing, std::uint32_t offset, Shadow earlier,
                                std::uint32_t flags) {
  const Epoch at{doing.block, earlier.thread() / 32, earlier.thread() % 32, earlier.time()};
  tell(doing, offset, Word::of(Kind::kPlain, earlier.bytes(), earlier.site(), at),
       flags | kShared | kShortSite);
}

// The time in full, of what is of this side of the last barrier; 0: it was before. The shadow has
// nothing that is older than half a round of short times.
REDFLAG_DEVICE std::uint32_t time_of(Shadow earlier, std::uint32_t barrier) {
  const std::uint32_t since = (earlier.time() - barrier) % kShadowTimes;
  return since < kShadowTimes / 2 ? barrier + since : 0;
}
// Whether an access of this side of the barrier is ordered before this one.
REDFLAG_DEVICE bool is_ordered(Shadow earlier, std::uint32_t time, const Doing& doing) {
  const std::uint32_t warp = earlier.thread() / 32, lane = earlier.thread() % 32;
  if (is_ordered_here(warp, lane, time, doing)) return true;
  return learnt({doing.block, warp, lane, time}, doing.warp, doing.active);
}

// Another thread's access of the same epoch and one that conflicts with it. `flags`: 1, the earlier
// wrote; 2, others had read besides.
REDFLAG_SLOW void conflict(std::uint32_t unit, std::uint32_t earlier_bits,
                           std::uint32_t earlier_time, std::uint32_t flags, std::uint32_t site,
                           std::uint32_t what, std::uint32_t active, std::uint32_t time) {
  const Doing doing = doing_of(site, what, active, time);
  const Shadow earlier{earlier_bits};
  if (earlier.thread() != doing.warp * 32 + doing.lane) {
    if (!is_ordered(earlier, earlier_time, doing)) {
      tell_shared(doing, unit, earlier, (flags & 1) != 0 ? kFirstWrote : 0U);
    }
    return;
  }
  // Who else has read is not known: lanes of this warp may have met since.
  const Warp& w = block().warps[doing.warp];
  const bool has_met =
      look(w.meet) > look(w.barrier) || block().threads != 0 || doing.active != 1U << doing.lane;
  if (!has_met) tell_shared(doing, unit, earlier, kAnyThread);
}

// `mask`: which of the word's bytes.
REDFLAG_DEVICE void check_shared(std::uint32_t unit, std::uint32_t mask, bool writes,
                                 bool is_atomic, const Doing& doing) {
  const std::uint32_t size = block().shadow;
  if (unit >= size) return;
  const std::uint32_t thread = doing.warp * 32 + doing.lane;
  const std::uint32_t barrier = look(block().warps[doing.warp].barrier);
  const std::uint32_t at = block().window + size + unit * 2;
  auto [read, write] = load_shadow(at);
  const std::uint32_t was_read = time_of(read, barrier);
  const bool others_read =
      read.bits != 0 && was_read != 0 && (read.thread() != thread || read.mark());
  // It is told first, and what others have told is looked at then.
  if (writes) {
    const Shadow next = Shadow::of(doing.site, mask, is_atomic, thread, doing.time);
    if (next.bits != write.bits) {
      write = exchange_shadow(at + 4, next);
      read = load_shadow(at).read;
    }
  } else if (!is_atomic) {  // only plain writes would race with an atomic that reads
    const Shadow next = Shadow::of(doing.site, mask, others_read, thread, doing.time);
    if (next.bits != read.bits) {
      store_shadow(at, next);
      write = load_shadow(at).write;
    }
  }
  // An atomic's mark says that it is one.
  const std::uint32_t wrote = time_of(write, barrier);
  if (write.bits != 0 && wrote != 0 && write.thread() != thread && (write.bytes() & mask) != 0 &&
      !(is_atomic && write.mark())) {
    conflict(unit, write.bits, wrote, 1, doing.site, doing.what, doing.active, doing.time);
  }
  if (!writes) return;
  const std::uint32_t read_at = time_of(read, barrier);
  if (read.bits != 0 && read_at != 0 && (read.bytes() & mask) != 0 &&
      (read.thread() != thread || read.mark())) {
    conflict(unit, read.bits, read_at, 0, doing.site, doing.what, doing.active, doing.time);
  }
}
REDFLAG_DEVICE void check_shared_bytes(std::uint32_t offset, std::uint32_t bytes, bool writes,
                                       bool is_atomic, const Doing& doing) {
  const std::uint32_t end = offset + bytes;
  for (std::uint32_t unit = offset / kUnit * kUnit; unit < end; unit += kUnit) {
    const std::uint32_t from = offset > unit ? offset - unit : 0;
    const std::uint32_t to = end < unit + kUnit ? end - unit : kUnit;
    check_shared(unit, ((1U << to) - 1) & ~((1U << from) - 1), writes, is_atomic, doing);
  }
}

}  // namespace redflag::device::compact
