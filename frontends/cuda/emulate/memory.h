// Global memory: which bytes of this process kernels may touch.
//
// A sorted array of intervals, found by binary search; kernels keep the interval that they found last
// for each instruction, and `generation` tells them when to forget it. Freed memory stays known, and
// stays unused, until the quarantine is full: an access to it is told as a use after free.
// Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>

#include "core/base/error.h"

namespace redflag::cuda {

struct Interval {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bool contains(std::uint64_t address, std::uint64_t bytes) const {
    return address >= begin && address <= end && end - address >= bytes;
  }
};

class GlobalMemory {
 public:
  explicit GlobalMemory(std::uint64_t limit) : limit_(limit) {}
  ~GlobalMemory();
  GlobalMemory(const GlobalMemory&) = delete;
  GlobalMemory& operator=(const GlobalMemory&) = delete;

  Result<std::uint64_t> allocate(std::uint64_t bytes, std::uint64_t align);
  Result<void> free(std::uint64_t address);
  void adopt(std::uint64_t address, std::uint64_t bytes);
  void disown(std::uint64_t address);
  // The live allocation that holds the address; empty: none.
  Interval find(std::uint64_t address) const;
  // The freed allocation that held the address; empty: none.
  Interval find_freed(std::uint64_t address) const;
  // The live allocation nearest to an address that is in none, for messages.
  Interval nearest(std::uint64_t address) const;
  std::uint32_t generation() const { return generation_.load(std::memory_order_relaxed); }
  std::uint64_t used() const;

 private:
  struct Block {
    std::uint64_t end = 0;
    std::uint64_t mapped = 0;  // bytes of an own mapping; 0: malloc
    void* start = nullptr;     // nullptr: adopted
  };
  void release(std::uint64_t begin, const Block& block);

  mutable std::mutex mutex_;
  std::map<std::uint64_t, Block> live_;
  std::map<std::uint64_t, Block> freed_;
  std::deque<std::uint64_t> quarantine_;
  std::uint64_t quarantined_ = 0;
  std::uint64_t used_ = 0;
  std::uint64_t limit_;
  std::atomic<std::uint32_t> generation_{1};
};

}  // namespace redflag::cuda
