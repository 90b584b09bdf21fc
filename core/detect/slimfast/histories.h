// Histories: where SlimFast's shared, immutable access histories live (dissertation, section 3.3).
//
// Pairs are a table of words. An epoch E of a thread owns a few consecutive words of one cache line:
// the first is E itself, tagged as an owner, and means as a handle "written in E"; each further one
// is the write epoch w of the pair "read in E after w". So these words are W_t and S_t at once, S_t
// look-ups scan at most two lines, a pair costs 8 bytes however many locations share it, and short
// epochs of a thread share a line. An epoch that outgrows its line goes on in a new one, with its
// owner word again. Loose pairs, which belong to no thread's present epoch, have lines of their own.
//
// EpochPlusVC histories are records of their own: the write epoch, the readers' epochs, and the
// mutable Next map from slot to the history that differs in this slot's read (figure 3.7). Split
// records hold a handle per byte and belong to one granule each.
//
// Nothing is freed one by one, except splits: mark() what is in use, then sweep() (sweep.cpp).
// Single-threaded; at most 2^30 words of pairs and 2^27 records of each other form at a time.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <vector>

#include "core/base/memory.h"
#include "core/clock/happens_before.h"
#include "core/detect/slimfast/handle.h"
#include "core/shadow/mixed_history.h"

namespace redflag::slimfast {

struct SharedHistory {
  Epoch write;
  std::uint32_t readers = 0;  // epochs behind this object, one per slot
  std::uint32_t next_size = 0;
  std::uint32_t* next = nullptr;  // by slot: bits of a shared handle, 0: none

  const Epoch* reads() const { return reinterpret_cast<const Epoch*>(this + 1); }
  Epoch* reads() { return reinterpret_cast<Epoch*>(this + 1); }
  // The epoch in which `slot` last read; Epoch{}: not since the write.
  Epoch read_by(Slot slot) const {
    for (std::uint32_t i = 0; i < readers; ++i) {
      if (reads()[i].slot() == slot) return reads()[i];
    }
    return Epoch{};
  }
};
static_assert(sizeof(SharedHistory) == 24);

struct Split {
  Handle bytes[8];
};
static_assert(sizeof(Split) == 32);

class Histories {
 public:
  explicit Histories(std::pmr::memory_resource* memory);
  Histories(const Histories&) = delete;
  Histories& operator=(const Histories&) = delete;
  ~Histories();

  // Pairs.
  std::uint32_t new_line();  // index of its first word; all are empty
  void set_owner(std::uint32_t word, Epoch epoch) { pairs_[word] = epoch.bits() | kOwner; }
  void set_write(std::uint32_t word, Epoch write) { pairs_[word] = write.bits(); }
  Epoch pair_write(Handle h) const { return Epoch::from_bits(pairs_[index(h)] & ~kOwner); }
  Epoch pair_read(Handle h) const {
    std::uint32_t i = index(h);
    if (i == 0 || (pairs_[i] & kOwner) != 0) return Epoch{};
    do {
      --i;
    } while ((pairs_[i] & kOwner) == 0);
    return Epoch::from_bits(pairs_[i] & ~kOwner);
  }
  const std::uint64_t* word(std::uint32_t i) const { return &pairs_[i]; }

  // A pair that belongs to no thread's present epoch.
  Handle loose_pair(Epoch write, Epoch read);

  // EpochPlusVC.
  SharedHistory& shared(Handle h) { return *shared_[index(h)]; }
  Handle new_shared(Epoch write, Epoch reader1, Epoch reader2);
  // `from` with its slot's read set to `reader`, entered into from's Next map.
  Handle next_shared(Handle from, Epoch reader);
  // The entry of the Next map, kNone when there is none.
  Handle next_of(const SharedHistory& from, Slot slot) const {
    const auto i = static_cast<std::uint32_t>(slot);
    return i < from.next_size ? Handle{from.next[i]} : kNone;
  }

  // Locations with atomics.
  const MixedHistory& mixed(Handle h) const { return *mixed_[index(h)]; }
  Handle new_mixed(MixedHistory* history);

  // Split granules.
  Split& split(Handle h) { return splits_[index(h)]; }
  Handle new_split(Handle all);
  void free_split(Handle h);

  // Reclamation: begin_mark(), then for every handle in use is_over() or mark(), then sweep().
  // Histories all of whose accesses `floor` covers are over: nothing can race with them.
  void begin_mark(const VectorClock& floor);
  bool is_over(Handle h) const {
    switch (form(h)) {
      case Form::kPair:
        return (pair_over_[index(h) / kLineSize / 64] >> (index(h) / kLineSize % 64) & 1) != 0;
      case Form::kShared:
        return shared_over_[index(h)] != 0;
      case Form::kMixed:
        return mixed_over_[index(h)] != 0;
      case Form::kSplit:
        break;
    }
    return false;
  }
  void mark(Handle h) {
    switch (form(h)) {
      case Form::kPair:
        pair_marks_[index(h) / kLineSize / 64] |= std::uint64_t{1} << (index(h) / kLineSize % 64);
        break;
      case Form::kShared:
        shared_marks_[index(h)] = 1;
        break;
      case Form::kMixed:
        mixed_marks_[index(h)] = 1;
        break;
      case Form::kSplit:
        break;
    }
  }
  void sweep();

  std::size_t bytes_since_sweep() const { return since_sweep_; }
  std::size_t live_bytes() const { return live_bytes_; }  // as of the last sweep
  // What the tables themselves take; records are counted by the memory resource.
  std::size_t table_bytes() const {
    return pairs_.bytes() + shared_.bytes() + mixed_.bytes() + splits_.bytes();
  }
  std::uint64_t shared_made() const { return shared_made_; }

 private:
  static constexpr std::uint64_t kOwner = std::uint64_t{1} << 63;  // clocks stay below 2^43

  static constexpr std::size_t shared_bytes(std::uint32_t readers) {
    return sizeof(SharedHistory) + readers * sizeof(Epoch);
  }
  SharedHistory* allocate_shared(Epoch write, std::uint32_t readers);
  Handle enter_shared(SharedHistory* history);
  void destroy(SharedHistory* history);

  std::pmr::memory_resource* memory_;
  GrowingArray<std::uint64_t> pairs_;
  GrowingArray<SharedHistory*> shared_;
  GrowingArray<MixedHistory*> mixed_;
  GrowingArray<Split> splits_;
  std::pmr::vector<std::uint32_t> free_shared_;
  std::pmr::vector<std::uint32_t> free_mixed_;
  std::pmr::vector<std::uint32_t> free_splits_;
  // Marks of the last sweep: unmarked lines before its end are free, taken in order by `cursor_`.
  std::pmr::vector<std::uint64_t> pair_marks_;
  std::pmr::vector<std::uint8_t> shared_marks_;
  std::pmr::vector<std::uint8_t> mixed_marks_;
  std::pmr::vector<std::uint64_t> pair_over_;
  std::pmr::vector<std::uint8_t> shared_over_;
  std::pmr::vector<std::uint8_t> mixed_over_;
  std::uint32_t loose_ = 0;      // next word for loose pairs; 0: no line
  std::uint32_t cursor_ = 0;     // next line to look at for reuse
  std::uint32_t reuse_end_ = 0;  // lines at the last sweep
  std::size_t since_sweep_ = 0;
  std::size_t live_bytes_ = 0;
  std::uint64_t shared_made_ = 0;
};

}  // namespace redflag::slimfast
