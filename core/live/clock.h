// The clocks of live threads and of what they synchronise through.
//
// A thread's clock is an array of its own, changed only by that thread. What a release publishes is
// the thread's epoch and a Snapshot of the rest: immutable, counted, and the same one as long as
// the thread learns nothing new. So a release costs O(1) unless the thread acquired something since
// its last, ten thousand locks released by one thread share one snapshot, and ten thousand threads
// started in a loop share that of their parent. An acquire costs O(1) when the releasing epoch is
// already known, else O(slots).
//
// SyncClock is not thread-safe: its owner's lock is held. Slots are handed out as in
// core/clock/happens_before.h: a new thread takes over the slot of an ended one whose past its
// parent knows.
#pragma once

#include <cstdint>

#include "core/clock/epoch.h"
#include "core/live/pool.h"

namespace redflag::live {

struct Snapshot {
  std::atomic<std::uint32_t> references;
  std::uint32_t size;  // entries behind this
  std::uint32_t capacity;
  std::uint32_t unused;

  std::uint64_t* clocks() { return reinterpret_cast<std::uint64_t*>(this + 1); }
  const std::uint64_t* clocks() const { return reinterpret_cast<const std::uint64_t*>(this + 1); }
};
static_assert(sizeof(Snapshot) == 16);

// C_t: written and read only by its thread (by its parent before it starts, by whoever stopped the
// world).
struct ThreadClock {
  Epoch epoch;  // (slot, present clock)
  std::uint64_t* clocks = nullptr;
  std::uint32_t size = 0;
  std::uint32_t capacity = 0;
  std::uint32_t version = 0;     // odd while `clocks` moves
  std::uint64_t changes = 1;     // how often it advanced or learned: a synchronisation each
  Snapshot* snapshot = nullptr;  // of `clocks` except the own slot; nullptr: learnt something since
  // View::stamped: a cell names the present epoch, or the thread has learnt something in it. Who knows
  // an epoch knows all that its thread had learnt by then.
  bool* stamped = nullptr;

  [[gnu::always_inline]] std::uint64_t at(Slot slot) const {
    const auto i = static_cast<std::uint32_t>(slot);
    return i < size ? clocks[i] : 0;
  }
  // The same for other threads, while it may change: not more than the truth.
  std::uint64_t peek(std::uint32_t i) const;
  // One that it is or was in.
  REDFLAG_MAY_READ_LATE Epoch peek_epoch() const {
    return Epoch::from_bits(*reinterpret_cast<const volatile std::uint64_t*>(&epoch));
  }
  [[gnu::always_inline]] bool covers(Epoch e) const { return e.clock() <= at(e.slot()); }
  // What a release publishes. An epoch that is not stamped is not over: later accesses will be in it.
  // So the one before it is what others may know.
  Epoch published() const {
    return stamped == nullptr || *stamped ? epoch : Epoch(epoch.slot(), epoch.clock() - 1);
  }
  void advance() {
    ++changes;
    epoch = epoch.next();
    clocks[static_cast<std::uint32_t>(epoch.slot())] = epoch.clock();
  }
  void reserve(Arena& arena, std::uint32_t slots);
  Snapshot* share(Arena& arena);  // with one more reference for the caller
  void learned(Arena& arena);     // the snapshot is no longer true
  void free(Arena& arena);

 private:
  void move_begins();
  void move_ends();
};

void release_reference(Arena& arena, Snapshot* snapshot);

// What an acquire of some object learns: everything of `known`, and `at`, the epoch of the last
// release. Empty `at` with a `known`: several threads' releases joined, no single epoch stands for
// them.
struct SyncClock {
  Snapshot* known = nullptr;
  Epoch at;

  bool empty() const { return known == nullptr && !at; }
  void clear(Arena& arena);
  void store(Arena& arena, ThreadClock& t);          // exactly what t knows
  void merge(Arena& arena, ThreadClock& t);          // and what t knows
  void merge(Arena& arena, const SyncClock& other);  // and what other has
  void copy(Arena& arena, const SyncClock& other);
  void acquire(Arena& arena, ThreadClock& t) const;  // t learns it
  bool covered_by(const ThreadClock& t) const;       // t knows all of it
};
static_assert(sizeof(SyncClock) == 16);

// Which slots are whose, and what the last owner's clock was. Under its own lock.
class Slots {
 public:
  struct Tenancy {
    std::uint64_t first_clock = 0;
    std::uint32_t thread = 0;
  };
  // The slot and first epoch for a new thread that knows what `parent` knows (nullptr: nothing).
  Epoch begin(Arena& arena, const ThreadClock* parent, std::uint32_t thread);
  void end(Epoch last);
  // The thread that was in this epoch; false: so long ago that it is forgotten.
  bool owner(Epoch epoch, std::uint32_t& thread);
  std::uint32_t count() const { return count_.load(std::memory_order_relaxed); }

 private:
  static constexpr std::uint32_t kTenants = 16;  // remembered per slot
  static constexpr std::uint32_t kPerChunk = 64;
  struct Slot {
    std::uint64_t final_clock = 0;
    std::uint32_t tenants = 0;  // ever
    std::uint32_t unused = 0;
    Tenancy tenant[kTenants];
  };
  Slot& slot(std::uint32_t i) { return chunks_[i / kPerChunk][i % kPerChunk]; }

  SpinLock lock_;
  std::atomic<std::uint32_t> count_{0};
  // Slots whose thread has ended, oldest first, more or less: a ring of a power of two.
  std::uint32_t& ended(std::uint32_t i) {
    return ended_[(ended_first_ + i) & (ended_capacity_ - 1)];
  }
  std::uint32_t* ended_ = nullptr;
  std::uint32_t ended_first_ = 0;
  std::uint32_t ended_count_ = 0;
  std::uint32_t ended_capacity_ = 0;
  std::uint32_t turn_ = 0;
  Slot* chunks_[kMaxSlots / kPerChunk] = {};
};

}  // namespace redflag::live
