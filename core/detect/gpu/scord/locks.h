// ScoRD's lock table: locks that a warp seems to hold, inferred from atomics and fences.
//
// ISCA'20, section IV-A. CUDA has no locks; a compare-and-swap followed by a fence takes one, a
// fence followed by an exchange gives it back. Four entries in a circle, 9 bits each: a hash of the
// address (6), scope, valid, active: 36 bits, 32 of them in an SM. What is active goes into a
// filter of 16 bits with every access: two halves, one bit in each.
//
// Limits, by design: a compare-and-swap that failed counts too; a fifth lock overwrites the first;
// two addresses may have one hash. A lock of block scope is another one in every block.
#pragma once

#include <cstdint>

#include "core/detect/gpu/portable.h"
#include "core/detect/gpu/scord/entry.h"

namespace redflag::gpu::scord {

inline constexpr unsigned kHashBits = 6;
inline constexpr unsigned kLockEntries = 4;
inline constexpr unsigned kLockBits = kHashBits + 3;

REDFLAG_HD constexpr std::uint32_t lock_hash(std::uint64_t address, bool block_scope,
                                             std::uint64_t block) {
  std::uint64_t word = address >> 2;
  if (block_scope) word ^= (block + 1) << 24;
  return static_cast<std::uint32_t>(word * 0x9E3779B97F4A7C15ULL >> (64 - kHashBits));
}

// The bits of one lock: one of the lower eight, one of the upper eight.
REDFLAG_HD constexpr std::uint32_t filter_bits(std::uint32_t hash, bool block_scope) {
  const std::uint32_t low = (hash & 7) ^ (block_scope ? 1U : 0U);
  return 1U << low | 0x100U << (hash >> 3);
}
// No lock can be in both: one half has no bit in common.
REDFLAG_HD constexpr bool no_common_lock(std::uint32_t a, std::uint32_t b) {
  const std::uint32_t both = a & b;
  return (both & 0xFF) == 0 || (both & 0xFF00) == 0;
}

class LockTable {
 public:
  // A compare-and-swap: the lock may be taken, if a fence follows.
  REDFLAG_HD constexpr void take(std::uint32_t hash, bool block_scope) {
    const std::uint64_t entry = make(hash, block_scope);
    for (unsigned i = 0; i < kLockEntries; ++i) {  // spinning takes no second entry
      if ((get(i) & ~kActive) == entry) return set(i, entry);
    }
    set(static_cast<unsigned>(next_), entry);
    next_ = (next_ + 1) % kLockEntries;
  }
  // A fence: what it reaches is held from here on.
  REDFLAG_HD constexpr void fence(bool block_scope) {
    for (unsigned i = 0; i < kLockEntries; ++i) {
      const std::uint64_t entry = get(i);
      if ((entry & kValid) == 0) continue;
      if (!block_scope || (entry & kBlockScope) != 0) set(i, entry | kActive);
    }
  }
  // An exchange: given back, fence or not.
  REDFLAG_HD constexpr void give_back(std::uint32_t hash, bool block_scope) {
    const std::uint64_t entry = make(hash, block_scope);
    for (unsigned i = 0; i < kLockEntries; ++i) {
      if ((get(i) & ~kActive) == entry) set(i, 0);
    }
  }
  REDFLAG_HD constexpr std::uint32_t filter() const {
    if (entries_ == 0) return 0;
    std::uint32_t bits = 0;
    for (unsigned i = 0; i < kLockEntries; ++i) {
      const std::uint64_t entry = get(i);
      if ((entry & kActive) == 0) continue;
      bits |= filter_bits(static_cast<std::uint32_t>(entry & kHash), (entry & kBlockScope) != 0);
    }
    return bits;
  }

 private:
  static constexpr std::uint64_t kHash = (1U << kHashBits) - 1;
  static constexpr std::uint64_t kBlockScope = 1U << kHashBits;
  static constexpr std::uint64_t kValid = kBlockScope << 1;
  static constexpr std::uint64_t kActive = kBlockScope << 2;
  static constexpr std::uint64_t kEntry = (1U << kLockBits) - 1;

  REDFLAG_HD static constexpr std::uint64_t make(std::uint32_t hash, bool block_scope) {
    return (hash & kHash) | (block_scope ? kBlockScope : 0) | kValid;
  }
  REDFLAG_HD constexpr std::uint64_t get(unsigned i) const {
    return entries_ >> (i * kLockBits) & kEntry;
  }
  REDFLAG_HD constexpr void set(unsigned i, std::uint64_t entry) {
    const unsigned at = i * kLockBits;
    entries_ = (entries_ & ~(kEntry << at)) | entry << at;
  }

  std::uint64_t entries_ : kLockBits* kLockEntries = 0;
  std::uint64_t next_ : 2 = 0;  // of the circle
};
static_assert(sizeof(LockTable) == 8 && kLockBits * kLockEntries == 36, "ScoRD, section IV-C");

}  // namespace redflag::gpu::scord
