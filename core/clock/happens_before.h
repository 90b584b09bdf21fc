// HappensBefore: the vector clocks of all threads, kept current by the synchronisation events of a
// trace.
//
// This is the part FastTrack, SlimFast and the explainer share: C_t and L_m of the dissertation's
// figure 3.3, with read-write locks, barriers and the C++20 memory model added (docs/how/semantics.md
// has the rules in words, one paragraph a kind). The oracle does not use it: it has its own slow
// and obvious clocks, and differential tests compare the two.
//
// A thread's clock advances when others may learn its past: at release, fork, barrier entry,
// release store, release fence. Between two advances the thread is in one epoch. Accesses never
// change clocks.
//
// Slots: vector clocks are indexed by slot, not by thread. A new thread takes over the slot of an
// ended one when its parent already knows all of that thread's past (then the two are as ordered as
// one thread's steps), so programs that start and join threads for ever keep small clocks.
//
// Cost: O(slots) for operations that join or copy clocks, O(1) otherwise. Memory from the given
// resource: live threads, and locks, barriers and atomic bytes ever used. Not thread-safe.
#pragma once

#include <cstdint>
#include <deque>
#include <memory_resource>
#include <vector>

#include "core/base/flat_map.h"
#include "core/clock/atomic_sync.h"
#include "core/clock/vector_clock.h"
#include "core/model/event.h"

namespace redflag {

struct ThreadClock {
  explicit ThreadClock(std::pmr::memory_resource* memory)
      : clock(memory), pending_acquire(memory), release_fence(memory) {}

  ThreadId id{0};
  Epoch epoch;        // (slot, clock[slot])
  VectorClock clock;  // C_t
  // Relaxed loads obtained this; an acquire fence makes it known (C++20 [atomics.fences]).
  VectorClock pending_acquire;
  // What the last release fence published through later relaxed stores.
  VectorClock release_fence;
  bool live = false;  // started, not ended, not joined

  bool covers(Epoch e) const { return clock.covers(e); }
};

// What `volatile` means to the program under test: nothing (C, C++), or synchronisation (Java).
enum class VolatileMeaning : std::uint8_t { kData, kSync };

class HappensBefore {
 public:
  explicit HappensBefore(std::pmr::memory_resource* memory,
                         VolatileMeaning volatile_meaning = VolatileMeaning::kData);

  // The clocks of a thread; a thread seen for the first time starts here, knowing nothing. The
  // reference is valid until the thread is joined.
  ThreadClock& thread(ThreadId id) {
    const std::size_t i = raw(id);
    if (i < index_.size() && index_[i] != nullptr) [[likely]]
      return *index_[i];
    return start_root(id);
  }

  // Applies an event: both halves below, for an access.
  void on_event(const Event& event);
  // An access obtains before it is checked (an acquire load is ordered after what it reads) and
  // publishes after it is recorded (a release store is part of what it publishes). Plain accesses
  // do neither.
  void before_access(const Event& event);
  void after_access(const Event& event);

  // Does this access take part in synchronisation, so that two of its kind never race?
  bool is_synchronising(const Event& e) const {
    return is_atomic(e.kind) || (e.is_volatile && volatile_meaning_ == VolatileMeaning::kSync);
  }

  // The thread that was in this epoch.
  ThreadId owner(Epoch epoch) const;

  // For every slot the clock that all live threads cover: an access at or below it is ordered
  // before everything still to come, provided that new threads are forked by known ones.
  void floor(VectorClock& into) const;

  // Threads other than the first that appeared without a fork: they know nothing of the past.
  std::uint64_t unforked_threads() const { return unforked_; }
  std::size_t slots() const { return slots_.size(); }
  std::size_t live_threads() const;

 private:
  struct Tenancy {
    std::uint64_t first_clock;
    ThreadId thread;
  };
  struct SlotState {
    explicit SlotState(std::pmr::memory_resource* memory) : tenants(memory) {}
    std::pmr::vector<Tenancy> tenants;  // ascending first_clock
    std::uint64_t final_clock = 0;      // of the last tenant, once it ended
  };
  struct LockState {
    explicit LockState(std::pmr::memory_resource* memory) : released(memory), readers(memory) {}
    VectorClock released;  // by the last exclusive owner
    Epoch released_at;     // its epoch: who covers it covers `released`
    VectorClock readers;   // by shared owners since
  };
  struct BarrierState {
    explicit BarrierState(std::pmr::memory_resource* memory)
        : filling(memory), draining(memory), entered(memory) {}
    VectorClock filling;                 // of those that entered and did not leave
    VectorClock draining;                // of the last full round
    std::pmr::vector<ThreadId> entered;  // the present round's
  };

  ThreadClock& start_root(ThreadId id);
  ThreadClock& start(ThreadId id, const ThreadClock* parent);
  Slot take_slot(const ThreadClock* parent);
  void end(ThreadClock& t);
  void advance(ThreadClock& t);
  LockState& lock(LockId id);
  BarrierState& barrier(BarrierId id);

  void acquire(ThreadClock& t, const LockState& m, bool exclusive);
  void fork(ThreadClock& t, ThreadId child);
  void join(ThreadClock& t, ThreadId child);
  void barrier_enter(ThreadClock& t, BarrierState& b);
  void barrier_exit(ThreadClock& t, BarrierState& b);
  void atomic_load(ThreadClock& t, const Event& e, Order order);
  void atomic_store(ThreadClock& t, const Event& e, Order order, bool continues_sequence);
  void fence(ThreadClock& t, Order order);

  std::pmr::memory_resource* memory_;
  VolatileMeaning volatile_meaning_;
  std::pmr::vector<ThreadClock*> index_;  // by thread; nullptr: not started, or joined
  std::pmr::deque<ThreadClock> threads_;  // reused after joins
  std::pmr::vector<ThreadClock*> free_threads_;
  std::pmr::deque<SlotState> slots_;
  std::pmr::deque<Slot> ended_slots_;  // may be taken over; oldest first, more or less
  FlatMap<LockState*> lock_index_;
  std::pmr::deque<LockState> locks_;
  FlatMap<BarrierState*> barrier_index_;
  std::pmr::deque<BarrierState> barriers_;
  AtomicSync atomics_;
  std::size_t next_tried_ = 0;  // turn of the older ended slots
  std::uint64_t unforked_ = 0;
};

}  // namespace redflag
