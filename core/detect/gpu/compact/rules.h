// compact's rules: what an access means for a cell, given what is ordered before it.
//
// FastTrack's reasoning with a single reader kept: a read is compared with the last write, a write
// with the last write and the last read; an access that is ordered behind another takes its place.
// Atomics are compatible with each other as far as their scopes reach. Whether an earlier epoch is
// ordered before the access is asked of the caller, who knows barriers, warps and signals; only here
// is it decided what races. Each decision is a row, so that it can be counted and tested.
//
// No report without a race: where marks do not say which threads read, an access that is ordered
// behind the one that is named is taken for ordered behind all, unless the block itself, or a kernel
// without signals, leaves no other possibility.
#pragma once

#include <cstdint>

#include "core/detect/gpu/compact/word.h"

namespace redflag::gpu::compact {

struct Access {
  Epoch at;
  std::uint32_t site = 0;
  std::uint32_t bytes = 15;  // of the unit
  bool writes = false;
  bool is_atomic = false;
  bool block_scope = false;   // of an atomic
  bool is_copy = false;       // by an asynchronous copy
  std::uint32_t barrier = 0;  // time of the block's last barrier that the thread has passed
  std::uint32_t meet = 0;     // of the last meeting of lanes of its warp
  bool has_signals = true;    // the kernel has fences or atomics that order
};

enum class Verdict : std::uint8_t { kFine, kWithWrite, kWithRead, kScope };

struct Decision {
  Verdict verdict = Verdict::kFine;
  Cell next;
};

namespace detail {

// Two atomics whose scopes include each other's thread.
REDFLAG_HD constexpr bool compatible(Word earlier, const Access& a) {
  if (!a.is_atomic) return false;
  const bool same_block = earlier.epoch().block == a.at.block;
  return (earlier.kind() == Kind::kAtomic && !a.block_scope) ||
         ((earlier.kind() == Kind::kAtomic || earlier.kind() == Kind::kBlockAtomic) && same_block);
}
REDFLAG_HD constexpr bool is_atomic(Word w) {
  return w.kind() == Kind::kAtomic || w.kind() == Kind::kBlockAtomic;
}
REDFLAG_HD constexpr bool same_thread(const Epoch& a, const Epoch& b) {
  return a.block == b.block && a.warp == b.warp && a.lane == b.lane;
}

// The read that stands for this one and what was there.
template <typename Ordered>
REDFLAG_HD constexpr Word joined(Word before, const Access& a, Word mine, const Ordered& ordered) {
  if (!before) return mine;
  // An atomic read says less than a plain one, ordered or not: only plain writes race with it.
  if (is_atomic(before) && before.bytes() == a.bytes) return mine;
  const bool is_many = before.kind() == Kind::kGridReaders ||
                       (before.kind() == Kind::kBlockReaders && before.epoch().time >= a.barrier);
  if (ordered(before.epoch())) {
    // The named one is; of the others nothing is known, unless all were before the barrier.
    return is_many && before.bytes() == a.bytes ? (a.is_atomic ? before : mine.as(before.kind()))
                                                : mine;
  }
  if (before.bytes() != a.bytes) return before;  // marks are of readers of the same bytes
  if (a.is_atomic) return before;
  if (before.kind() == Kind::kGridReaders) return before;
  if (before.epoch().block != a.at.block) return before.as(Kind::kGridReaders);
  return before.as(Kind::kBlockReaders);
}

// Whether a write races with the reads that the word stands for.
template <typename Ordered>
REDFLAG_HD constexpr bool races_with_reads(Word read, const Access& a, const Ordered& ordered) {
  const Epoch by = read.epoch();
  if (!ordered(by)) return true;
  if (read.kind() == Kind::kBlockReaders) {
    // Somebody else of the block read too, behind the same barrier; lanes may have met since.
    return same_thread(by, a.at) && by.time >= a.barrier && by.time >= a.meet && !a.has_signals;
  }
  return read.kind() == Kind::kGridReaders && same_thread(by, a.at) && !a.has_signals;
}

}  // namespace detail

// `ordered(epoch)`: whether what that thread did then happens before the access. A thread's own past
// is, as is what an earlier launch did. `surely(epoch)`: the same, but it may say no when it takes long to
// find out: where the answer is only about which of two accesses is remembered.
template <typename Ordered, typename Surely>
REDFLAG_HD constexpr Decision decide(const Cell& cell, const Access& a, const Ordered& ordered,
                                     const Surely& surely) {
  using namespace detail;
  Decision out{Verdict::kFine, cell};
  const Kind kind = a.is_copy       ? Kind::kCopy
                    : !a.is_atomic  ? Kind::kPlain
                    : a.block_scope ? Kind::kBlockAtomic
                                    : Kind::kAtomic;
  const Word mine = Word::of(kind, a.bytes, a.site, a.at);
  const bool meets_write = cell.write && (cell.write.bytes() & a.bytes) != 0;
  if (meets_write && !compatible(cell.write, a) && !ordered(cell.write.epoch())) {
    out.verdict = is_atomic(cell.write) && a.is_atomic ? Verdict::kScope : Verdict::kWithWrite;
  }
  if (!a.writes) {
    out.next.read = joined(cell.read, a, mine, surely);
    return out;
  }
  const bool meets_read = cell.read && (cell.read.bytes() & a.bytes) != 0;
  if (out.verdict == Verdict::kFine && meets_read && !compatible(cell.read, a) &&
      races_with_reads(cell.read, a, ordered)) {
    out.verdict = Verdict::kWithRead;
  }
  out.next.write = mine;
  // Reads that no atomic is ordered behind stay known: the next plain write may race with them. (Of
  // another block's atomics it is not asked: they stay.)
  const bool is_far = is_atomic(cell.read) && cell.read.epoch().block != a.at.block;
  const bool keeps_reads = a.is_atomic && cell.read && (is_far || !surely(cell.read.epoch()));
  if (!keeps_reads) out.next.read = {};
  return out;
}
template <typename Ordered>
REDFLAG_HD constexpr Decision decide(const Cell& cell, const Access& a, const Ordered& ordered) {
  return decide(cell, a, ordered, ordered);
}

}  // namespace redflag::gpu::compact
