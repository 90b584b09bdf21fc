// iGUARD's lock tables: locks that a warp, or a thread, seems to hold.
//
// SOSP'21, section 6.3 and figure 7: 64 bits, three locks of 21 bits each (a hash of the address,
// 18; scope, active, valid) and a bit `isThread`. A warp has one table until several of its lanes
// execute a compare-and-swap together: then each has a lock of its own, the bit is set for the rest
// of the kernel, and the tables of the threads are used. A fence makes what it reaches active, an
// exchange gives back.
//
// Limits, by design: a compare-and-swap that failed counts too; a fourth lock overwrites one; the
// filter that accesses carry has 16 bits.
#pragma once

#include <cstdint>

#include "core/detect/gpu/portable.h"

namespace redflag::gpu::iguard {

inline constexpr unsigned kHashBits = 18;
inline constexpr unsigned kLockEntries = 3;
inline constexpr unsigned kLockBits = kHashBits + 3;

// A lock of block scope is another one in every block.
REDFLAG_HD constexpr std::uint32_t lock_hash(std::uint64_t address, bool block_scope,
                                             std::uint64_t block) {
  std::uint64_t word = address >> 2;
  if (block_scope) word ^= (block + 1) << 24;
  return static_cast<std::uint32_t>(word * 0x9E3779B97F4A7C15ULL >> (64 - kHashBits));
}

// Two bits of sixteen: a filter of two ways.
REDFLAG_HD constexpr std::uint32_t filter_bits(std::uint32_t hash) {
  return 1U << (hash & 7) | 0x100U << (hash >> 3 & 7);
}

class LockTable {
 public:
  REDFLAG_HD constexpr bool is_thread() const { return (bits_ >> 63) != 0; }
  REDFLAG_HD constexpr void set_thread() { bits_ |= std::uint64_t{1} << 63; }

  REDFLAG_HD constexpr void take(std::uint32_t hash, bool block_scope) {
    const std::uint64_t entry = make(hash, block_scope);
    unsigned into = hash % kLockEntries;  // where all are in use
    for (unsigned i = kLockEntries; i-- > 0;) {
      if ((get(i) & kValid) == 0) into = i;
    }
    for (unsigned i = 0; i < kLockEntries; ++i) {
      if ((get(i) & ~kActive) == entry) into = i;  // spinning takes no second entry
    }
    set(into, entry);
  }
  REDFLAG_HD constexpr void fence(bool block_scope) {
    for (unsigned i = 0; i < kLockEntries; ++i) {
      const std::uint64_t entry = get(i);
      if ((entry & kValid) == 0) continue;
      if (!block_scope || (entry & kBlockScope) != 0) set(i, entry | kActive);
    }
  }
  REDFLAG_HD constexpr void give_back(std::uint32_t hash, bool block_scope) {
    const std::uint64_t entry = make(hash, block_scope);
    for (unsigned i = 0; i < kLockEntries; ++i) {
      if ((get(i) & ~kActive) == entry) set(i, 0);
    }
  }
  REDFLAG_HD constexpr std::uint32_t filter() const {
    if ((bits_ << 1) == 0) return 0;
    std::uint32_t bits = 0;
    for (unsigned i = 0; i < kLockEntries; ++i) {
      const std::uint64_t entry = get(i);
      if ((entry & kActive) != 0) bits |= filter_bits(static_cast<std::uint32_t>(entry & kHash));
    }
    return bits;
  }

 private:
  static constexpr std::uint64_t kHash = (std::uint64_t{1} << kHashBits) - 1;
  static constexpr std::uint64_t kBlockScope = std::uint64_t{1} << kHashBits;
  static constexpr std::uint64_t kActive = kBlockScope << 1;
  static constexpr std::uint64_t kValid = kBlockScope << 2;
  static constexpr std::uint64_t kEntry = (std::uint64_t{1} << kLockBits) - 1;

  REDFLAG_HD static constexpr std::uint64_t make(std::uint32_t hash, bool block_scope) {
    return (hash & kHash) | (block_scope ? kBlockScope : 0) | kValid;
  }
  REDFLAG_HD constexpr std::uint64_t get(unsigned i) const {
    return bits_ >> (i * kLockBits) & kEntry;
  }
  REDFLAG_HD constexpr void set(unsigned i, std::uint64_t entry) {
    const unsigned at = i * kLockBits;
    bits_ = (bits_ & ~(kEntry << at)) | entry << at;
  }

  std::uint64_t bits_ = 0;
};
static_assert(sizeof(LockTable) == 8 && kLockBits * kLockEntries + 1 == 64, "iGUARD, figure 7");

}  // namespace redflag::gpu::iguard
