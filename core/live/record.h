// Record: the bytes that atomics touch or a lock lives in, with all that must be known of them.
//
// Two atomics never race with each other, so an entry of one epoch does not do: since the last plain
// write the last plain read, atomic write and atomic read of every slot count
// (core/shadow/mixed_history.h has the table of what races with what). And an atomic carries what its
// last release published. Both change together with the atomic's value, so they are kept together,
// mutable, under one lock that is held while the operation itself is performed: who sees the value
// sees the clock.
//
// A mutex, a semaphore, a barrier is known by the record of its first byte; `object` leads to what
// is kept of it besides the clock (Object, detector.h). Such a record leaves the state of the byte in
// its cell; one of an atomic takes it out (is_mixed), and the cell says kMixed.
//
// The records of a granule are a list that a word of the shadow leads to (LinearMemory::records).
// Lists change under a lock of their own (Detector::lists_lock); who walks one without it locks the
// record that it finds and then sees whether that still serves the granule: its memory may have got a
// new life.
#pragma once

#include <cstdint>

#include "core/live/clock.h"

namespace redflag::live {

// The last accesses of a kind, one epoch per slot; one inline, several behind a pointer.
class Marks {
 public:
  bool empty() const { return word_ == 0; }
  bool has(Epoch e) const;
  // Adds e, drops what `clock` covers: whatever is ordered after e is ordered after that too.
  void add(Arena& arena, Epoch e, const ThreadClock& clock);
  // The first that `clock` does not cover; false: all are covered.
  bool uncovered(const ThreadClock& clock, Epoch& which) const;
  void set(Arena& arena, const Epoch* epochs, std::uint32_t n);
  void copy(Arena& arena, const Marks& other);
  void clear(Arena& arena);

 private:
  struct Many {
    std::uint32_t size;
    std::uint32_t capacity;
    Epoch* epochs() { return reinterpret_cast<Epoch*>(this + 1); }
  };
  static constexpr std::uint64_t kManyBit = std::uint64_t{1} << 63;
  Many* many() const {
    return (word_ & kManyBit) != 0 ? reinterpret_cast<Many*>(word_ & ~kManyBit) : nullptr;
  }
  static Many* make(Arena& arena, std::uint32_t capacity);

  std::uint64_t word_ = 0;  // an epoch, or a pointer to Many
};

struct Record {
  SpinLock lock;
  std::atomic<std::uint8_t> low;  // bytes [low, high) of its granule
  std::atomic<std::uint8_t> high;
  std::uint8_t is_mixed;  // the cell's bytes are here
  std::uint8_t unused;
  std::atomic<std::uint32_t> next;  // in the granule's list
  std::uint32_t unused2;
  std::atomic<std::uint64_t> granule;  // 0: given back
  Epoch write;
  Marks reads;
  Marks atomic_writes;
  Marks atomic_reads;
  SyncClock released;
  // Object; nullptr: a plain atomic. Last: the pool's free list runs through its upper half.
  void* object;

  bool serves(std::uint64_t g, unsigned byte) const {
    return granule.load(std::memory_order_acquire) == g &&
           low.load(std::memory_order_relaxed) <= byte &&
           byte < high.load(std::memory_order_relaxed);
  }
  void clear(Arena& arena);
};
static_assert(sizeof(Record) == 80);

}  // namespace redflag::live
