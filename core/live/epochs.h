// Epochs: 23-bit handles for the epochs of threads, so that an entry of 32 bits can name one.
//
// Handles are given out in blocks of 64 that follow each other: a block belongs to one slot (a place
// in vector clocks; core/clock/epoch.h) and stands for 64 clocks in a row. So a handle is turned into
// slot and clock by one load, threads take a new block only every 64 epochs, and any number of
// threads share the handles. An epoch in which nothing was stamped into a cell needs no new handle
// (View::stamped).
//
// There are 131,070 blocks. A block is free again when no cell names it; the sweep (sweep.cpp) finds
// those, with the world stopped. Who writes: a block's fields are written by the thread that takes
// it, before any cell names it. Who reads: everybody, behind a cell that names it.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/clock/epoch.h"
#include "core/live/entry.h"
#include "core/live/spin.h"

namespace redflag::live {

class Epochs {
 public:
  static constexpr unsigned kPlaceBits = 6;
  static constexpr std::uint32_t kPlaces = 1U << kPlaceBits;
  // The first block has the handle of no access, the last one those of kMixed and kLockedWord.
  static constexpr std::uint32_t kBlocks = (kEpochHandles >> kPlaceBits) - 1;

  struct Block {
    std::uint64_t first = 0;  // the clock of place 0
    std::uint32_t slot = 0;
    std::uint32_t unused = 0;
  };
  static_assert(sizeof(Block) == 16);

  // `blocks`: room for kBlocks + 1, all zero.
  void init(Block* blocks) {
    blocks_ = blocks;
    blocks_[kBlocks].slot = kFree;  // of kMixed: nobody knows it
    next_ = 1;
    left_.store(kBlocks - 1, std::memory_order_relaxed);
  }

  // A new block whose place 0 stands for `first`; its entry without bytes. 0: all are taken.
  Entry take(Epoch first);

  [[gnu::always_inline]] const Block& block(Entry e) const {
    return blocks_[epoch_of(e) >> (kEpochShift + kPlaceBits)];
  }
  static constexpr std::uint32_t place(Entry e) { return e >> kEpochShift & (kPlaces - 1); }
  // What the entry stands for; it names an epoch.
  [[gnu::always_inline]] Epoch at(Entry e) const {
    const Block& b = block(e);
    return Epoch(Slot{b.slot}, b.first + place(e));
  }

  // World stopped: calls f(index, block) for all that were ever taken.
  template <typename F>
  void for_each_block(F&& f) const {
    for (std::uint32_t i = 1; i < next_; ++i) {
      if (blocks_[i].slot != kFree) f(i, blocks_[i]);
    }
  }
  // World stopped: every block that `used` does not name is free again.
  template <typename Used>
  void keep(Used&& used);
  // So that each of many threads may still take one before a sweep comes.
  bool few_left() const { return free_count() < kBlocks / 8; }
  std::uint32_t free_count() const { return left_.load(std::memory_order_relaxed); }

 private:
  static constexpr std::uint32_t kFree = ~std::uint32_t{0};  // Block::slot
  Block* blocks_ = nullptr;
  SpinLock lock_;                       // guards all below
  std::uint32_t next_ = 0;              // 1 from init() on: all is zero to begin with
  std::uint32_t free_ = 0;              // a list through Block::unused
  std::atomic<std::uint32_t> left_{0};  // blocks; read without the lock
};

template <typename Used>
void Epochs::keep(Used&& used) {
  free_ = 0;
  std::uint32_t left = kBlocks - next_;
  for (std::uint32_t i = 1; i < next_; ++i) {
    if (used(i)) continue;
    blocks_[i] = {0, kFree, free_};
    free_ = i;
    ++left;
  }
  left_.store(left, std::memory_order_relaxed);
}

}  // namespace redflag::live
