// Histories: the shared, immutable access histories of SlimFast, for many threads at once.
//
// The forms are those of core/detect/slimfast (handle.h, histories.h there): an epoch owns
// consecutive words of a line of eight, the first is "written by me in this epoch" (W_t), the
// others "read by me in this epoch, last written at w" (S_t). A word is written by the line's owner
// before a handle to it is published by the compare-and-swap of a cell, and never changed until a
// sweep, with the world stopped, finds that no cell holds it. The other forms are:
//
//   kShared  a write epoch and the reads of several threads that nothing orders; shared, or a
//            granule's own, in which readers take part without a change of the cell (readers.cpp)
//   kSplit   the granule's bytes differ: a handle for each. Immutable and shared like the others,
//            so that a sweep over an array of ints makes one split, not one per granule
//            Or, of the granule's own and mutable: the handles of its two halves in a word
//            (halves.cpp), or those of its bytes (bytes.cpp)
//   kMixed   the bytes are accessed by atomics or hold a lock: the index of a record (record.h),
//            which is mutable, under its own lock, and belongs to one run of bytes
#pragma once

#include <atomic>
#include <cstdint>

#include "core/clock/epoch.h"
#include "core/live/pool.h"
#include "core/live/shadow.h"

namespace redflag::live {

using slimfast::kLineSize;

constexpr Form form(std::uint32_t h) {
  return slimfast::form(Handle{h});
}
constexpr std::uint32_t index(std::uint32_t h) {
  return slimfast::index(Handle{h});
}
constexpr std::uint32_t handle(Form f, std::uint32_t i) {
  return slimfast::bits(make_handle(f, i));
}

// Immutable, and shared by many granules; or a granule's own (kOwnBit in its handle), in which readers
// put their newer epochs in the place of their older ones, as long as it is open (readers.cpp).
struct SharedHistory {
  static constexpr std::uint32_t kInline = 5;
  Epoch write;
  std::atomic<std::uint64_t>* many;  // when there are more than kInline readers
  std::atomic<std::uint64_t> few[kInline];
  std::uint32_t readers;
  std::atomic<std::uint32_t> open;  // 1: readers may change their epochs. Goes to 0 once

  std::atomic<std::uint64_t>* reads() { return readers <= kInline ? few : many; }
  // By the owner of the slot, in its place; by who made it; by anybody.
  Epoch read(std::uint32_t i) {
    return Epoch::from_bits(reads()[i].load(std::memory_order_relaxed));
  }
};
static_assert(sizeof(SharedHistory) == 64);
inline constexpr std::uint32_t kOwnBit = 1U << 29;
constexpr bool is_own(std::uint32_t h) {
  return h >> 29 == 3;
}
constexpr std::uint32_t shared_index(std::uint32_t h) {
  return h & (kOwnBit - 1);
}

// Immutable, and shared by many granules; or a granule's own (kOwnSplitBit in its handle), whose bytes
// are changed in place (bytes.cpp).
struct Split {
  static constexpr std::uint32_t kFrozen = ~0U;  // of its own: about to be replaced
  std::atomic<std::uint32_t> bytes[8];
};
static_assert(sizeof(Split) == 32);
inline constexpr std::uint32_t kOwnSplitBit = 1U << 28;
constexpr bool is_own_split(std::uint32_t h) {
  return h >> 28 == 13;
}
constexpr std::uint32_t split_index(std::uint32_t h) {
  return h & (kOwnSplitBit - 1);
}

// The handles of bytes 0 to 3 and 4 to 7 of one granule, whose own it is (halves.cpp). Known by a
// handle of form kSplit with kHalvesBit in its index.
struct Halves {
  static constexpr std::uint64_t kFrozen = ~std::uint64_t{0};
  static constexpr std::uint64_t word_of(std::uint32_t low, std::uint32_t high) {
    return low | std::uint64_t{high} << 32;
  }
  static constexpr std::uint32_t half(std::uint64_t word, unsigned k) {
    return static_cast<std::uint32_t>(word >> (k * 32));
  }
  // One of them alone; whoever freezes the word changes both. To the processor the two are one place in
  // memory: what is published with a half is seen with the word, and the other way round.
  std::atomic<std::uint32_t>* half_at(unsigned k) {
    return reinterpret_cast<std::atomic<std::uint32_t>*>(&word) + k;
  }
  // ThreadSanitizer takes what has different addresses for different places: the upper half and the word.
  // So it is told, after a half was read and before it is changed.
  void tell_of_half() {
    if (kUnderTsan) word.fetch_add(0, std::memory_order_acq_rel);
  }
  std::atomic<std::uint64_t> word;
};
static_assert(sizeof(Halves) == 8);
inline constexpr std::uint32_t kHalvesBit = 1U << 29;
constexpr bool is_halves(std::uint32_t h) {
  return h >> 29 == 7 && h < kNoBase;
}
constexpr std::uint32_t halves_index(std::uint32_t h) {
  return h & (kHalvesBit - 1);
}

class Pairs {
 public:
  static constexpr std::uint64_t kOwner = std::uint64_t{1} << 63;
  static constexpr unsigned kChunkShift = 16;  // words

  // Index of a line's first word; all its words are 0.
  std::uint32_t take_line(Arena& arena);
  void set_owner(std::uint32_t i, Epoch e) { word(i) = e.bits() | kOwner; }
  void set_write(std::uint32_t i, Epoch e) { word(i) = e.bits(); }
  [[gnu::always_inline]] std::uint64_t& word(std::uint32_t i) {
    return chunks_[i >> kChunkShift].load(std::memory_order_acquire)[i & ((1U << kChunkShift) - 1)];
  }
  Epoch write_of(std::uint32_t h) { return Epoch::from_bits(word(h) & ~kOwner); }
  Epoch read_of(std::uint32_t h) {
    const std::uint64_t* w = &word(h);
    if (h == 0 || (*w & kOwner) != 0) return Epoch{};
    do {
      --w;
    } while ((*w & kOwner) == 0);
    return Epoch::from_bits(*w & ~kOwner);
  }

  // For the sweep.
  std::uint32_t end() const { return bump_; }
  void rebuild_begin() { free_ = 0; }
  void rebuild_free(std::uint32_t line);
  std::size_t bytes() const { return std::size_t{bump_} * sizeof(std::uint64_t); }

 private:
  SpinLock lock_;
  std::uint32_t bump_ = 0;
  std::uint32_t free_ = 0;  // first of the free lines; the next is in its first word
  std::atomic<std::uint64_t*> chunks_[1U << (30 - kChunkShift)] = {};
};

}  // namespace redflag::live
