// Entry: what a shadow cell remembers of the last write, or the last read, of some bytes.
//
// The shadow has a cell of 8 bytes for each granule, 8 bytes of the program's memory. The state stands
// in the cell itself, so a check that finds "this thread, this epoch, these bytes" is a load and a
// compare, and a change is one compare-and-swap.
//
//   entry, 32 bits   0-7 which bytes of the granule | 8-30 epoch | 31 flag
//   cell, 64 bits    low half: W, the last write. Flag kFiner: a second pair, in a second shadow at a
//                    constant distance, counts too (finer.h).
//                    high half: R, the last read. Flag kShared: several threads that nothing orders
//                    have read these bytes; their reads are in columns (columns.h).
//
// An epoch is a handle of 23 bits (epochs.h); handle 0 is no access, and kMixed says that a record
// outside the shadow has the state of these bytes (atomics; record.h). The entry of no access is 0.
//
// W and R are those of FastTrack (section 3): one epoch stands for all earlier accesses of its kind
// that are ordered before it. Unlike FastTrack's, they hold for bytes, not for variables.
#pragma once

#include <atomic>
#include <cstdint>

namespace redflag::live {

inline constexpr unsigned kGranule = 8;

using Entry = std::uint32_t;
inline constexpr Entry kBytes = 0xff;
inline constexpr Entry kEpoch = 0x7fffff00;
inline constexpr Entry kFlag = 0x80000000;
inline constexpr unsigned kEpochShift = 8;
inline constexpr std::uint32_t kEpochHandles = 1U << 23;
static_assert((kBytes ^ kEpoch ^ kFlag) == ~Entry{0});

// Handles that name no epoch.
inline constexpr Entry kMixed = (kEpochHandles - 2) << kEpochShift;

constexpr Entry epoch_of(Entry e) {
  return e & kEpoch;
}
constexpr Entry bytes_of(Entry e) {
  return e & kBytes;
}
// An entry whose bytes have all gone to others is none.
constexpr Entry without(Entry e, Entry bytes) {
  return (e & kBytes & ~bytes) != 0 ? e & ~bytes : 0;
}

// A cell, or the second pair behind it.
struct Pair {
  Entry write = 0;
  Entry read = 0;

  static constexpr Pair of(std::uint64_t bits) {
    return {static_cast<Entry>(bits), static_cast<Entry>(bits >> 32)};
  }
  constexpr std::uint64_t bits() const { return write | std::uint64_t{read} << 32; }
  friend constexpr bool operator==(Pair, Pair) = default;
};
static_assert(sizeof(Pair) == 8);

using Word = std::atomic<std::uint64_t>;
static_assert(sizeof(Word) == 8 && Word::is_always_lock_free);

// A thread works on this granule's two words. No pair: its epoch is never handed out.
inline constexpr std::uint64_t kLockedWord = ~std::uint64_t{0};

inline constexpr Entry kFiner = kFlag;   // of a cell's W
inline constexpr Entry kShared = kFlag;  // of an R

}  // namespace redflag::live
