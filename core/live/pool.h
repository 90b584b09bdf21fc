// Memory for the live detector: blocks of any size, and objects known by a 32-bit index.
//
// Arena gives blocks in power-of-two classes from large mappings; a block returned goes to its
// class's list, a large one without its memory. IndexedPool<T> gives objects of one type by index: a handle is such an index with a
// form. Its memory is type-stable: an index once valid always leads to a T, perhaps one that serves
// something else by now, so a reader that lost a race finds out by looking again and never faults.
// Everything is zero-initialised and usable before constructors run. Nothing is returned to the
// system, except by destroy(), which tests use.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/live/os.h"
#include "core/live/spin.h"

namespace redflag::live {

class Arena {
 public:
  void* take(std::size_t bytes);
  void give(void* p, std::size_t bytes);
  // A mapping of its own, for large or sparse tables.
  void* map(std::size_t bytes);

  std::size_t bytes_in_use() const { return in_use_.load(std::memory_order_relaxed); }
  // Unmaps all that was ever given.
  void destroy();

 private:
  static constexpr std::size_t kClasses = 24;  // 16 bytes to 128 MiB
  static constexpr std::size_t kAlone = 14;    // from 256 KiB on each block is its own mapping
  static constexpr std::size_t kChunk = std::size_t{1} << 18;
  struct Free {
    Free* next;
  };
  struct Mapping {
    Mapping* next;
    std::size_t bytes;
  };
  struct Class {
    SpinLock lock;
    Free* free = nullptr;
    char* bump = nullptr;
    char* end = nullptr;
  };
  static std::size_t class_of(std::size_t bytes) {
    std::size_t c = 0;
    while ((std::size_t{16} << c) < bytes) ++c;
    return c;
  }

  Class classes_[kClasses];
  SpinLock mappings_lock_;
  Mapping* mappings_ = nullptr;
  std::atomic<std::size_t> in_use_{0};
};

template <typename T, unsigned kShift, unsigned kMaxBits>
class IndexedPool {
 public:
  static constexpr std::uint32_t kPerChunk = 1U << kShift;
  static constexpr std::uint32_t kChunks = 1U << (kMaxBits - kShift);

  [[gnu::always_inline]] T& operator[](std::uint32_t i) {
    return chunks_[i >> kShift].load(std::memory_order_acquire)[i & (kPerChunk - 1)];
  }

  // Index of an object, never 0; its bytes are whatever its last user left.
  std::uint32_t take(Arena& arena) {
    const Guard guard(lock_);
    ++live_;
    if (free_ != 0) {
      const std::uint32_t i = free_;
      free_ = link((*this)[i]);
      return i;
    }
    if (bump_ == 0) bump_ = 1;
    if ((bump_ >> kShift) >= kChunks) os_die("redflag: too many distinct access histories\n");
    auto& chunk = chunks_[bump_ >> kShift];
    if (chunk.load(std::memory_order_relaxed) == nullptr) {
      chunk.store(static_cast<T*>(arena.map(sizeof(T) << kShift)), std::memory_order_release);
    }
    return bump_++;
  }
  // Fills `into` with n indices, for a thread to use without the lock.
  void take_many(Arena& arena, std::uint32_t* into, std::uint32_t n) {
    for (std::uint32_t k = 0; k < n; ++k) into[k] = take(arena);
  }
  void give(std::uint32_t i) {
    const Guard guard(lock_);
    link((*this)[i]) = free_;
    free_ = i;
    --live_;
  }

  // For the sweep, with the world stopped: every index is either marked or free afterwards.
  std::uint32_t end() const { return bump_; }
  void rebuild_begin() {
    free_ = 0;
    live_ = 0;
  }
  void rebuild_free(std::uint32_t i) {
    link((*this)[i]) = free_;
    free_ = i;
  }
  void rebuild_live() { ++live_; }
  std::uint32_t live() const { return live_; }
  std::size_t bytes() const { return std::size_t{bump_} * sizeof(T); }

 private:
  // The list runs through the objects' last word, which no reader that lost a race looks at first.
  static std::uint32_t& link(T& object) {
    return *reinterpret_cast<std::uint32_t*>(reinterpret_cast<char*>(&object) + sizeof(T) - 4);
  }

  SpinLock lock_;
  std::uint32_t free_ = 0;
  std::uint32_t bump_ = 0;
  std::uint32_t live_ = 0;
  std::atomic<T*> chunks_[kChunks] = {};
};

}  // namespace redflag::live
