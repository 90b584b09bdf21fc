// Columns: the reads of bytes that several threads read without order between them.
//
// A cell has room for one reader. Where there are several it only says so (kShared), and each thread
// keeps its own last reads of such bytes in a column: a private, sparse shadow of entries. To read
// shared bytes in a new epoch is then private work: compare with W, store into the own column, and
// look once more whether the cell is still shared. Data that all threads read costs no change of a
// shared cache line, and there are no sets of readers to find, to copy or to reclaim. A write, which
// is rare there, looks at the columns of all threads that have one for this place (`readers`).
//
//   column of a slot -> table by chunk, 1 KiB of the program -> 128 entries of 4 bytes
//   entry: bytes and epoch as in entry.h; kFlag: the index of a record with an epoch for each byte
//
// The first reader of bytes stands in the cell. When a second one comes, its entry moves to the
// common column, since a column is written by no other thread than its own; the common column is
// written by whoever has locked the granule's cell.
//
// Entries are never taken out before the memory gets a new life or a sweep comes. One that is older
// than the last write is harmless: it names a read that did happen, and a write that is ordered after
// that last write covers the read as well.
//
// Why no race is lost: the reader stores its entry, then (behind a full fence) looks at the cell; the
// writer locks the cell, a full fence too, then looks at the columns. At least one sees the other.
//
// A column belongs to a slot and not to a thread: whoever takes the slot over knows all that its
// last owner did, so the entries stay what they were. `Memory` is where words are: RealMemory, or that
// of a test which tries all orders of their loads and stores (explore_test.cpp).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/live/entry.h"
#include "core/live/pool.h"

namespace redflag::live {

inline constexpr unsigned kChunkShift = 10;
inline constexpr std::uint32_t kChunkEntries = 1U << (kChunkShift - 3);

using ColumnEntry = std::atomic<Entry>;

struct Chunk {
  ColumnEntry entry[kChunkEntries];
};
static_assert(sizeof(Chunk) == 512);

// An epoch for each byte, without bytes of its own; 0: not read.
struct ReadBytes {
  ColumnEntry epoch[8];
};
static_assert(sizeof(ReadBytes) == 32);

// Where a thread finds its own entries again: the chunks that it used last. Its own.
struct SeenChunk {
  std::uint64_t key;  // addr >> kChunkShift; 0: none
  Chunk* chunk;
  static constexpr std::uint64_t kCount = 32;
};

class Column {
 public:
  // The entry for the granule at `addr`; nullptr: there is no chunk. Any thread.
  [[gnu::always_inline]] ColumnEntry* find(std::uint64_t addr) const {
    const Table* table = table_.load(std::memory_order_acquire);
    if (table == nullptr) return nullptr;
    const std::uint64_t key = addr >> kChunkShift;
    for (std::uint64_t i = hash(key);; ++i) {
      const Place& place = table->place[i & table->mask];
      const std::uint64_t there = place.key.load(std::memory_order_acquire);
      if (there == key) return &place.chunk->entry[addr / 8 % kChunkEntries];
      if (there == 0) return nullptr;
    }
  }
  // The same, with a chunk in any case. The column's own thread only.
  ColumnEntry& make(Arena& arena, std::uint64_t addr);

  // Calls f(first address, chunk) for every chunk. World stopped.
  template <typename F>
  void for_each(F&& f) {
    Table* table = table_.load(std::memory_order_relaxed);
    for (std::uint64_t i = 0; table != nullptr && i <= table->mask; ++i) {
      Place& place = table->place[i];
      const std::uint64_t key = place.key.load(std::memory_order_relaxed);
      if (key != 0) f(key << kChunkShift, *place.chunk);
    }
  }
  std::size_t chunks() const { return count_; }

  std::uint32_t slot = 0;  // whose it is; not of the common one

 private:
  struct Place {
    std::atomic<std::uint64_t> key;  // addr >> kChunkShift; 0: empty. Stored after `chunk`
    Chunk* chunk;
  };
  struct Table {
    std::uint64_t mask;
    Table* older;  // in which others may still be looking; given back by nobody, half as large each
    Place place[1];
  };
  static std::uint64_t hash(std::uint64_t key) { return key * 0x9e3779b97f4a7c15U >> 32; }
  static Table* new_table(Arena& arena, std::uint64_t capacity);
  static void insert(Table& table, std::uint64_t key, Chunk* chunk);

  std::atomic<Table*> table_{nullptr};
  std::uint32_t count_ = 0;
};

}  // namespace redflag::live
