// Cells: checks of accesses, by threads that run at once. The only code that changes a cell.
//
// An access is checked when it happens, and takes effect at one instant:
//
//   usual     one word before, one word after: a compare-and-swap of the whole state
//   locked    two words, or a column, before or after: the word becomes kLockedWord, the thread is
//             alone with this granule, and the new word unlocks it
//   shared    a read of bytes that are shared: nothing of the cell changes (columns.h)
//
// What each relies on:
//   - The word has all of the state unless kFiner is set. So a compare-and-swap that succeeds from a
//     word without it has seen the whole state, whatever happened in between.
//   - With kFiner, or a change to it, the second word is written under the lock only. A thread that
//     reads it without the lock looks for entries of its own epoch, which no other thread makes
//     (second_done), or reads both words again: under the lock (try_pairs), or after it has stored
//     its own entry (read_shared).
//   - read_shared takes a word that has returned to what it was for one that has not changed. A cell
//     returns to an earlier word only when a thread writes the same bytes twice in one epoch and
//     another one writes them in between. Nothing orders those writes: the granule has a race that is
//     reported, and only a second one, at the same instant, in other bytes of it, could be missed.
//   - No thread waits while it has a cell locked, except for memory (Arena) and in Memory::wait.
//     Who finds a cell locked for long yields: its owner may be off the processor.
//
// A race is found by whichever of the two accesses comes second at the cell. State goes on after a
// race as if it had been ordered, as in FastTrack.
#pragma once

#include "core/live/granule.h"
#include "core/live/readers.h"
#include "core/live/usual.h"

namespace redflag::live {

template <typename Memory>
class Cells {
 public:
  void init(Memory memory, Arena& arena, Epochs::Block* blocks, Column** columns) {
    memory_ = memory;
    arena_ = &arena;
    readers.init(memory, arena, columns);
    epochs.init(blocks);
  }

  // The cell's word, for try_step().
  [[gnu::always_inline]] std::uint64_t word(std::uint64_t g) {
    return memory_.load(memory_.cell(g));
  }

  // An access to `bytes` of the granule at g, whose cell is `now`, if a usual step (usual.h) is all that
  // it needs; most need no more.
  enum class Step : std::uint8_t {
    kNothing,  // there is nothing to do
    kChanged,
    kAgain,  // somebody else was at the cell
    kOther   // it is not a usual step: for check()
  };
  template <bool is_write>
  [[gnu::always_inline]] Step try_step(View& v, std::uint64_t g, std::uint64_t now, Entry bytes) {
    if (is_done<is_write>(v.me, now, bytes)) return Step::kNothing;
    Word& cell = memory_.cell(g);
    std::uint64_t becomes = 0;
    if (usual_step<is_write>(v, epochs, now, bytes, becomes)) {
      v.stamped = true;
      if (now == 0) memory_.mark(g, kHasCells);
      return memory_.swap(cell, now, becomes) ? Step::kChanged : Step::kAgain;
    }
    return try_pairs<is_write>(v, g, now, bytes);
  }
  // The same for finer data.
  template <bool is_write>
  [[gnu::noinline]] Step try_pairs(View& v, std::uint64_t g, std::uint64_t now, Entry bytes) {
    if (now == kLockedWord) return Step::kOther;
    Word& cell = memory_.cell(g);
    std::uint64_t becomes = 0;
    // Before the lock, and true under it if both words are the same then.
    const bool is_finer = (Pair::of(now).write & kFiner) != 0;
    const std::uint64_t had = is_finer ? memory_.load(memory_.second(g)) : 0;
    std::uint64_t second = had;
    if (names_record(had)) return Step::kOther;
    if (is_finer && second_done<is_write>(v, Pair::of(now), had, bytes)) return Step::kNothing;
    if (!pair_step<is_write>(v, epochs, now, bytes, becomes, second)) return Step::kOther;
    v.stamped = true;
    if (!memory_.swap(cell, now, kLockedWord)) return Step::kAgain;
    if (is_finer && memory_.load(memory_.second(g)) != had) {
      memory_.unlock(cell, now);
      return Step::kAgain;
    }
    if ((Pair::of(becomes).write & kFiner) != 0) memory_.store(memory_.second(g), second);
    memory_.unlock(cell, becomes);
    return Step::kChanged;
  }

  // An access to `bytes` of the granule at g. What it races with is added to `conflicts`, which also
  // says which bytes are left to records. `own`: the thread's entry in its column, if that is known.
  // False: there was nothing to do.
  template <bool is_write>
  bool check(View& v, std::uint64_t g, Entry bytes, Conflicts& conflicts,
             ColumnEntry* own = nullptr) {
    Word& cell = memory_.cell(g);
    for (unsigned turns = 0;;) {
      std::uint64_t now = memory_.load(cell);
      if (now == kLockedWord) {
        memory_.wait(turns);
        continue;
      }
      const Pair p = Pair::of(now);
      if (is_write || (p.read & kShared) == 0) {
        const Step step = try_step<is_write>(v, g, now, bytes);
        if (step == Step::kNothing) return false;
        if (step == Step::kChanged) return true;
        if (step == Step::kAgain) continue;
      }
      if constexpr (!is_write) {
        std::uint64_t second = 0;
        if (is_shared(g, p, bytes, second)) {
          const Seen seen = read_shared(v, g, cell, now, second, bytes, conflicts, own);
          if (seen == Seen::kDone) return false;
          if (seen == Seen::kStored) return true;
          if (seen == Seen::kAgain) continue;
        }
      }
      if (epoch_of(p.write) == kMixed && (bytes & ~p.write) == 0) {
        conflicts.mixed |= bytes;
        return false;
      }
      if (!memory_.swap(cell, now, kLockedWord)) continue;
      v.stamped = true;
      memory_.unlock(cell, alone<is_write>(v, g, now, bytes, conflicts));
      return true;
    }
  }

  // Whole granules from g to `end`, as an access each. Neighbours mostly have one history, and the
  // step that was right for one is right for the next: it is a function of the word. f(granule) is
  // called for those that need more. False: there was nothing to do.
  template <bool is_write, typename F>
  bool check_whole(View& v, std::uint64_t g, std::uint64_t end, F&& f) {
    std::uint64_t from = kLockedWord;
    std::uint64_t to = 0;
    bool changed = false;
    for (; g < end; g += kGranule) {
      Word& cell = memory_.cell(g);
      const std::uint64_t now = memory_.load(cell);
      if (is_done<is_write>(v.me, now, kBytes)) continue;
      if (now != from) {
        if (now == kLockedWord || !usual_step<is_write>(v, epochs, now, kBytes, to)) {
          from = kLockedWord;
          changed = f(g) || changed;
          continue;
        }
        from = now;
        v.stamped = true;
      }
      if (now == 0) memory_.mark(g, kHasCells);
      if (memory_.swap(cell, now, to)) {
        changed = true;
      } else {
        changed = f(g) || changed;
      }
    }
    return changed;
  }

  // The granule at g gets a new life; all its bytes, or some.
  // Nobody accesses these bytes meanwhile in a program that is right; in another nothing breaks.
  void forget(std::uint64_t g, Entry bytes) { renew(g, bytes, 0); }
  // The same, written by v in its present epoch.
  void made(View& v, std::uint64_t g, Entry bytes) {
    v.stamped = true;
    renew(g, bytes, epoch_of(v.me));
  }

  // Takes the bytes from `low` on, below `high`, that have one history out of the cell: a record has
  // them from now on (atomic.cpp). Returns where they end, and the granule's state as it was.
  unsigned take_out(std::uint64_t g, unsigned low, unsigned high, FinerBytes& all) {
    Word& cell = memory_.cell(g);
    const std::uint64_t now = lock(cell);
    const std::uint32_t record = record_at(g, now);
    all = state(g, now, record);
    FinerBytes left = all;
    unsigned end = low;
    for (; end < high && all.write[end] == all.write[low] && all.read[end] == all.read[low];
         ++end) {
      left.write[end] = kMixed;
      left.read[end] = 0;
    }
    memory_.mark(g, kHasCells);
    memory_.unlock(cell, store(g, left, 0, record));
    return end;
  }
  // The cell of the granule at `from` moves to `to`, where there is none. Nobody else is at either.
  void move(std::uint64_t from, std::uint64_t to) {
    const std::uint64_t now = memory_.load(memory_.cell(from));
    if (now == 0) return;
    const std::uint32_t record = record_at(from, now);
    if (record != 0) finer_[record].granule = to;
    memory_.store(memory_.second(to), memory_.load(memory_.second(from)));
    memory_.store(memory_.cell(to), now);
    memory_.store(memory_.cell(from), std::uint64_t{0});
    memory_.mark(to, kHasCells);
    readers.move(from, to);
  }

  // World stopped: f(entry) says what becomes of each entry of the cell.
  template <typename F>
  void for_each_entry(std::uint64_t g, F&& f) {
    Word& cell = memory_.cell(g);
    const std::uint64_t now = memory_.load(cell);
    if (now == 0) return;
    const Pair p = Pair::of(now);
    if ((p.write & kFiner) == 0) {
      const Pair left{f(p.write), f(p.read)};
      if (left != p) memory_.store(cell, left.bits());
      return;
    }
    const std::uint32_t record = record_at(g, now);
    FinerBytes all = state(g, now, record);
    bool changed = false;
    for (unsigned b = 0; b < kGranule; ++b) {
      const Entry bit = Entry{1} << b;
      for (Entry* const each : {&all.write[b], &all.read[b]}) {
        if (*each == 0 || (f(*each | bit)) != 0) continue;
        *each = 0;
        changed = true;
      }
    }
    if (changed) memory_.store(cell, store(g, all, 0, record));
  }
  Epochs epochs;
  Readers<Memory> readers;

 private:
  enum class Seen : std::uint8_t { kDone, kStored, kAgain, kNotShared };

  std::uint64_t lock(Word& cell) {
    for (unsigned turns = 0;;) {
      std::uint64_t now = memory_.load(cell);
      if (now == kLockedWord) {
        memory_.wait(turns);
      } else if (memory_.swap(cell, now, kLockedWord)) {
        return now;
      }
    }
  }

  // Does the second pair say that there is nothing to do? It may be newer than the cell: see above.
  template <bool is_write>
  static bool second_done(const View& v, Pair first, std::uint64_t second, Entry bytes) {
    Pair other = Pair::of(second);
    other.write &= ~(first.write & kBytes);
    other.read &= ~(first.read & kBytes);
    return is_done<is_write>(v.me, other.bits(), bytes);
  }

  // Are these bytes all shared, in a granule without a record? `second`: its second word, if it counts.
  bool is_shared(std::uint64_t g, Pair first, Entry bytes, std::uint64_t& second) {
    Entry shared = (first.read & kShared) != 0 ? bytes_of(first.read) : 0;
    if ((first.write & kFiner) != 0) {
      second = memory_.load(memory_.second(g));
      if (names_record(second)) return false;
      const Entry other = Pair::of(second).read;
      if ((other & kShared) != 0) shared |= other & kBytes & ~first.read;
    }
    return (bytes & ~shared) == 0;
  }

  // A read of such bytes.
  Seen read_shared(View& v, std::uint64_t g, Word& cell, std::uint64_t now, std::uint64_t second,
                   Entry bytes, Conflicts& conflicts, ColumnEntry* entry) {
    const Pair p = Pair::of(now);
    if (entry == nullptr) entry = v.column->find(g);
    if (entry != nullptr && readers.has_read(v, *entry, bytes)) return Seen::kDone;
    const Entry other = Pair::of(second).write & ~(p.write & kBytes);
    const Entry first = p.write & ~kFiner;
    if (((first & bytes) != 0 && epoch_of(first) == kMixed) ||
        ((other & bytes) != 0 && epoch_of(other) == kMixed)) {
      return Seen::kNotShared;
    }
    v.stamped = true;
    v.last_read = &readers.add(v, g, bytes, entry);
    const bool same = memory_.load_fenced(cell) == now &&
                      ((p.write & kFiner) == 0 || memory_.load(memory_.second(g)) == second);
    if (!same) return Seen::kAgain;
    for (const Entry w : {first, other}) {
      if ((w & bytes) != 0 && !v.covers(epochs, w)) conflicts.add(w, w & bytes, true);
    }
    return Seen::kStored;
  }

  // With the cell locked.
  std::uint32_t record_at(std::uint64_t g, std::uint64_t now) {
    if ((Pair::of(now).write & kFiner) == 0) return 0;
    const std::uint64_t second = memory_.load(memory_.second(g));
    return names_record(second) && finer_[record_of(second)].granule == g ? record_of(second) : 0;
  }
  FinerBytes state(std::uint64_t g, std::uint64_t now, std::uint32_t record) {
    if (record != 0) return unpack(now, 0, &finer_[record].bytes);
    const bool finer = (Pair::of(now).write & kFiner) != 0;
    const std::uint64_t second = finer ? memory_.load(memory_.second(g)) : 0;
    return unpack(now, names_record(second) ? 0 : second, nullptr);
  }
  // The state becomes `all`; `record`: the index of the one that it is in, 0: none. The cell's word.
  std::uint64_t store(std::uint64_t g, const FinerBytes& all, Entry me, std::uint32_t record) {
    std::uint64_t cell = 0;
    std::uint64_t second = 0;
    if (pack(all, me, cell, second)) {
      if (record != 0) drop(record);
    } else {
      if (record == 0) record = finer_.take(*arena_);
      finer_[record].bytes = all;
      finer_[record].granule = g;
      second = to_record(record);
    }
    if ((Pair::of(cell).write & kFiner) != 0) memory_.store(memory_.second(g), second);
    return cell;
  }

  void drop(std::uint32_t record) {
    finer_[record].granule = 0;
    finer_.give(record);
  }

  template <bool is_write>
  std::uint64_t alone(View& v, std::uint64_t g, std::uint64_t now, Entry bytes,
                      Conflicts& conflicts) {
    const std::uint32_t record = record_at(g, now);
    FinerBytes all = state(g, now, record);
    all_bytes<is_write>(
        v, epochs, bytes, all, conflicts,
        [&](Entry of_columns) {
          if constexpr (is_write) {
            readers.for_each(g, of_columns, [&](Entry read) {
              if (!v.covers(epochs, read)) conflicts.add(read, bytes_of(read), false);
            });
          } else {
            readers.add(v, g, of_columns);
          }
        },
        [&](Entry first_reader) { readers.add_first(g, first_reader); });
    return store(g, all, epoch_of(v.me), record);
  }

  void renew(std::uint64_t g, Entry bytes, Entry writer) {
    Word& cell = memory_.cell(g);
    if (writer == 0 && memory_.load(cell) == 0) return;
    if (writer != 0) memory_.mark(g, kHasCells);
    const std::uint64_t now = lock(cell);
    const std::uint32_t record = record_at(g, now);
    FinerBytes all = state(g, now, record);
    for (unsigned b = 0; b < kGranule; ++b) {
      if ((bytes >> b & 1) == 0) continue;
      all.write[b] = writer;
      all.read[b] = 0;
    }
    memory_.unlock(cell, store(g, all, writer, record));
  }

  Memory memory_{};
  Arena* arena_ = nullptr;
  // The granule that a record serves: in a program that uses freed memory, renewed cells may be
  // locked by somebody else, and a record could be given back twice.
  struct FinerRecord {
    FinerBytes bytes;
    std::uint64_t granule;
    std::uint64_t link;  // of the pool
  };
  IndexedPool<FinerRecord, 12, 28> finer_;
};

}  // namespace redflag::live
