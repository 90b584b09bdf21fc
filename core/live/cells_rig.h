// For tests: threads as views on the same cells, and an oracle that keeps everything for each byte.
//
// The oracle shares nothing with the code under test but the accesses: plain vector clocks, the last
// write and every thread's last read since, byte by byte. Until a byte has raced, the cells must find
// a race there exactly when the oracle does; afterwards both may go on as they like.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "core/live/cells.h"
#include "core/live/linear.h"

namespace redflag::live {

template <typename Memory>
class CellsRig {
 public:
  explicit CellsRig(unsigned threads, Memory memory = {}) : columns_(threads), clocks_(threads) {
    count_ = threads;
    if constexpr (requires { memory.slots; }) memory.slots = &count_;
    cells.init(
        memory, arena_,
        static_cast<Epochs::Block*>(arena_.map((Epochs::kBlocks + 1) * sizeof(Epochs::Block))),
        columns_.data());
    views.resize(threads);
    for (unsigned t = 0; t < threads; ++t) {
      owned_.push_back(std::make_unique<Column>());
      columns_[t] = owned_.back().get();
      columns_[t]->slot = t;
      clocks_[t].assign(threads, 0);
      clocks_[t][t] = 1;
      views[t].column = columns_[t];
      views[t].slots = threads;
      views[t].clocks = clocks_[t].data();
      new_epoch(t);
    }
  }
  ~CellsRig() { arena_.destroy(); }
  CellsRig(const CellsRig&) = delete;
  CellsRig& operator=(const CellsRig&) = delete;

  // What thread `to` acquires is what `from` has released until now.
  void release(unsigned from, std::vector<std::uint64_t>& into) {
    for (unsigned i = 0; i < clocks_.size(); ++i) {
      into[i] = std::max(into[i], clocks_[from][i]);
    }
    ++clocks_[from][from];
    View& v = views[from];
    if (Epochs::place(v.me) + 1 < Epochs::kPlaces) {
      v.me += 1U << kEpochShift;
      v.stamped = false;
    } else {
      new_epoch(from);
    }
  }
  void acquire(unsigned to, const std::vector<std::uint64_t>& from) {
    for (unsigned i = 0; i < clocks_.size(); ++i) {
      clocks_[to][i] = std::max(clocks_[to][i], from[i]);
    }
  }
  const std::vector<std::uint64_t>& clock(unsigned t) const { return clocks_[t]; }

  // An access of up to 8 bytes within a granule.
  Conflicts access(unsigned t, std::uint64_t addr, unsigned size, bool is_write) {
    Conflicts found;
    const std::uint64_t g = addr & ~std::uint64_t{7};
    const Entry bytes = ((Entry{1} << size) - 1) << (addr & 7);
    if (is_write) {
      cells.template check<true>(views[t], g, bytes, found);
    } else {
      cells.template check<false>(views[t], g, bytes, found);
    }
    return found;
  }

  Cells<Memory> cells;
  std::vector<View> views;

 private:
  void new_epoch(unsigned t) {
    views[t].me = cells.epochs.take(Epoch(Slot{t}, clocks_[t][t])) | kBytes;
    views[t].stamped = false;
  }
  Arena arena_;
  std::vector<Column*> columns_;
  std::vector<std::unique_ptr<Column>> owned_;
  std::vector<std::vector<std::uint64_t>> clocks_;
  std::atomic<std::uint32_t> count_{0};
};

class ByteOracle {
 public:
  explicit ByteOracle(unsigned threads) : threads_(threads) {}

  // Which of the bytes race with an earlier access: bit k for byte addr + k.
  unsigned access(unsigned t, std::uint64_t addr, unsigned size, bool is_write,
                  const std::vector<std::uint64_t>& clock) {
    unsigned racy = 0;
    for (unsigned k = 0; k < size; ++k) {
      Byte& b = bytes_[addr + k];
      if (b.reads.empty()) b.reads.assign(threads_, 0);
      bool is_racy = b.writer != t && b.write_clock > clock[b.writer];
      for (unsigned o = 0; o < threads_ && is_write; ++o) {
        is_racy = is_racy || (o != t && b.reads[o] > clock[o]);
      }
      if (is_racy) racy |= 1U << k;
      if (is_write) {
        b.writer = t;
        b.write_clock = clock[t];
        b.reads.assign(threads_, 0);
      } else {
        b.reads[t] = clock[t];
      }
    }
    return racy;
  }
  void forget(std::uint64_t addr, std::uint64_t size) {
    for (std::uint64_t k = 0; k < size; ++k) bytes_.erase(addr + k);
  }

 private:
  struct Byte {
    unsigned writer = 0;
    std::uint64_t write_clock = 0;
    std::vector<std::uint64_t> reads;
  };
  unsigned threads_;
  std::map<std::uint64_t, Byte> bytes_;
};

}  // namespace redflag::live
