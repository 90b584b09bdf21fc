// Readers: who has read shared bytes, in the columns of all slots (columns.h).
//
// An entry is a pair of epoch and bytes while one epoch stands for all reads of the granule by this
// thread, and names a record with an epoch for each byte while more than one does. It becomes a pair
// again as soon as one epoch is enough, so that the quick look (Hot::has_read) knows it.
//
// Each column is written by its own thread only, the common one by whoever has locked the granule's
// cell, and both by whoever forgets memory that nobody accesses. All threads read them: who reads a
// record looks at the entry again, since the record may have been given back and serve another one.
#pragma once

#include "core/live/columns.h"
#include "core/live/linear.h"
#include "core/live/view.h"

namespace redflag::live {

template <typename Memory>
class Readers {
 public:
  void init(Memory memory, Arena& arena, Column** columns) {
    memory_ = memory;
    arena_ = &arena;
    columns_ = columns;
  }

  // The thread's own entry says that it has read these bytes in its present epoch.
  bool has_read(const View& v, const ColumnEntry& entry, Entry bytes) {
    const Entry e = memory_.load(entry);
    if ((e & kFlag) == 0) return ((e ^ v.me) & (kFlag | kEpoch | bytes)) == 0;
    for (unsigned b = 0; b < kGranule; ++b) {
      if ((bytes >> b & 1) == 0) continue;
      if (memory_.load(record_of(e).epoch[b]) != epoch_of(v.me)) return false;
    }
    return true;
  }
  // The thread has read these bytes in its present epoch; where that is noted.
  // `entry`: the thread's own, if it is known.
  ColumnEntry& add(View& v, std::uint64_t g, Entry bytes, ColumnEntry* entry = nullptr) {
    if (entry == nullptr) entry = v.column->find(g);
    if (entry == nullptr) entry = &make_entry(v, g);
    put(*entry, epoch_of(v.me) | bytes);
    return *entry;
  }
  // With the cell locked: the first of several readers.
  void add_first(std::uint64_t g, Entry reader) {
    const Guard guard(common_lock_);  // of the table; the entry is the cell's
    put(common.make(*arena_, g), reader);
  }
  // Calls f(entry) for each read of these bytes, of any slot.
  template <typename F>
  void for_each(std::uint64_t g, Entry bytes, F&& f) {
    for_each_column(g, [&](const Column& column) {
      if (const ColumnEntry* entry = column.find(g); entry != nullptr) reads_in(*entry, bytes, f);
    });
  }

  // Forgets what is known of the granules in [begin, begin + size).
  void forget(std::uint64_t begin, std::uint64_t size) {
    constexpr std::uint64_t kChunkBytes = std::uint64_t{1} << kChunkShift;
    const std::uint64_t end = begin + size;
    for (std::uint64_t at = begin & ~std::uint64_t{7}; at < end;) {
      const std::uint64_t chunk_end = (at / kChunkBytes + 1) * kChunkBytes;
      const std::uint64_t stop = chunk_end < end ? chunk_end : end;
      for_each_column(at, [&](const Column& column) {
        ColumnEntry* entry = column.find(at);
        for (std::uint64_t g = at; entry != nullptr && g < stop; g += kGranule, ++entry) {
          if (entry->load(std::memory_order_relaxed) != 0) clear(*entry);
        }
      });
      at = stop;
    }
  }

  // --- World stopped.
  // What is known of the granule at `from` is known of the one at `to`, of which nothing was.
  void move(std::uint64_t from, std::uint64_t to) {
    for_each_column(from, [&](Column& column) {
      ColumnEntry* const entry = column.find(from);
      const Entry read = entry == nullptr ? 0 : memory_.load(*entry);
      if (read == 0) return;
      memory_.store(column.make(*arena_, to), read);
      memory_.store(*entry, Entry{0});
      mark(column, to);
    });
  }
  // Calls f(entry) for all reads of a column; those for which it gives 0 are forgotten.
  template <typename F>
  void keep(Column& column, F&& f) {
    column.for_each([&](std::uint64_t, Chunk& chunk) {
      for (ColumnEntry& entry : chunk.entry) {
        const Entry e = memory_.load(entry);
        if (e == 0) continue;
        if ((e & kFlag) == 0) {
          if (f(e) == 0) memory_.store(entry, Entry{0});
          continue;
        }
        bool any = false;
        for (ColumnEntry& byte : record_of(e).epoch) {
          const Entry read = memory_.load(byte);
          if (read != 0 && f(read | kBytes) == 0) memory_.store(byte, Entry{0});
          any = any || memory_.load(byte) != 0;
        }
        if (!any) clear(entry);
      }
    });
  }

  Column common;  // first readers
  // Records in use, for tests.
  std::uint32_t records() const { return records_.live(); }

 private:
  ReadBytes& record_of(Entry e) { return records_[epoch_of(e) >> kEpochShift]; }

  template <typename F>
  void for_each_column(std::uint64_t g, F&& f) {
    std::uint64_t slots = memory_.load(memory_.readers(g));
    if (slots == 0) return;
    f(common);
    for (; slots != 0; slots &= slots - 1) {
      const auto first = static_cast<std::uint32_t>(__builtin_ctzll(slots));
      for (std::uint32_t s = first; s < memory_.slot_count(); s += 64) {
        if (columns_[s] != nullptr) f(*columns_[s]);
      }
    }
  }
  void mark(const Column& column, std::uint64_t g) {
    memory_.add(memory_.readers(g), std::uint64_t{1} << column.slot % 64);
    memory_.mark(g, kHasReaders);
  }
  [[gnu::noinline]] ColumnEntry& make_entry(View& v, std::uint64_t g) {
    ColumnEntry& entry = v.column->make(*arena_, g);
    mark(*v.column, g);
    return entry;
  }

  // `added` to an entry; only one thread does so at a time.
  void put(ColumnEntry& entry, Entry added) {
    const Entry old = memory_.load(entry);
    const Entry bytes = bytes_of(added);
    if ((old & kFlag) != 0) return put_in_record(entry, old, added);
    if (epoch_of(old) == epoch_of(added)) return memory_.store(entry, old | bytes);
    if (without(old, bytes) == 0) return memory_.store(entry, added);
    const std::uint32_t index = records_.take(*arena_);
    for (unsigned b = 0; b < kGranule; ++b) {
      const Entry had = (old >> b & 1) != 0 ? epoch_of(old) : 0;
      memory_.store(records_[index].epoch[b], (bytes >> b & 1) != 0 ? epoch_of(added) : had);
    }
    memory_.store(entry, kFlag | index << kEpochShift);
  }
  void put_in_record(ColumnEntry& entry, Entry old, Entry added) {
    ReadBytes& each = record_of(old);
    Entry bytes = 0;
    bool is_one = true;
    for (unsigned b = 0; b < kGranule; ++b) {
      if ((added >> b & 1) != 0) memory_.store(each.epoch[b], epoch_of(added));
      const Entry epoch = memory_.load(each.epoch[b]);
      if (epoch == epoch_of(added)) bytes |= Entry{1} << b;
      is_one = is_one && (epoch == 0 || epoch == epoch_of(added));
    }
    if (!is_one) return;
    memory_.store(entry, epoch_of(added) | bytes);
    records_.give(epoch_of(old) >> kEpochShift);
  }
  void clear(ColumnEntry& entry) {
    const Entry old = entry.exchange(0);
    if ((old & kFlag) != 0) records_.give(epoch_of(old) >> kEpochShift);
  }

  template <typename F>
  void reads_in(const ColumnEntry& entry, Entry bytes, F&& f) {
    for (;;) {
      const Entry e = memory_.load(entry);
      if ((e & kFlag) == 0) {
        if ((e & bytes) != 0) f(e & (kEpoch | bytes));
        return;
      }
      Entry read[kGranule];
      for (unsigned b = 0; b < kGranule; ++b) {
        read[b] = (bytes >> b & 1) != 0 ? memory_.load(record_of(e).epoch[b]) : 0;
      }
      if (memory_.load(entry) != e) continue;
      for (unsigned b = 0; b < kGranule; ++b) {
        if (read[b] != 0) f(read[b] | Entry{1} << b);
      }
      return;
    }
  }

  Memory memory_{};
  Arena* arena_ = nullptr;
  Column** columns_ = nullptr;  // by slot
  SpinLock common_lock_;
  IndexedPool<ReadBytes, 13, 23> records_;
};

}  // namespace redflag::live
