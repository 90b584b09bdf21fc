#include "core/clock/happens_before.h"

#include <algorithm>

#include "core/base/check.h"

namespace redflag {

HappensBefore::HappensBefore(std::pmr::memory_resource* memory, VolatileMeaning volatile_meaning)
    : memory_(memory),
      volatile_meaning_(volatile_meaning),
      index_(memory),
      threads_(memory),
      free_threads_(memory),
      slots_(memory),
      ended_slots_(memory),
      lock_index_(memory),
      locks_(memory),
      barrier_index_(memory),
      barriers_(memory),
      atomics_(memory) {}

void HappensBefore::on_event(const Event& e) {
  ThreadClock& t = thread(e.thread);
  switch (e.kind) {
    case EventKind::kRead:
    case EventKind::kWrite:
    case EventKind::kAtomicLoad:
    case EventKind::kAtomicStore:
    case EventKind::kAtomicRmw:
    case EventKind::kAlloc:
    case EventKind::kFree:
      before_access(e);
      after_access(e);
      break;
    case EventKind::kFence:
      fence(t, e.order);
      break;
    case EventKind::kAcquire:
      acquire(t, lock(e.lock()), true);
      break;
    case EventKind::kAcquireShared:
      acquire(t, lock(e.lock()), false);
      break;
    case EventKind::kRelease: {
      LockState& m = lock(e.lock());
      m.released.assign(t.clock);
      m.released_at = t.epoch;
      m.readers.clear();  // the owner waited for them: `released` covers them
      advance(t);
      break;
    }
    case EventKind::kReleaseShared:
      lock(e.lock()).readers.join(t.clock);
      advance(t);
      break;
    case EventKind::kFork:
      fork(t, e.other());
      break;
    case EventKind::kJoin:
      join(t, e.other());
      break;
    case EventKind::kThreadEnd:
      end(t);
      break;
    case EventKind::kWork:
      break;
    case EventKind::kBarrierEnter:
      barrier_enter(t, barrier(e.barrier()));
      break;
    case EventKind::kBarrierExit:
      barrier_exit(t, barrier(e.barrier()));
      break;
  }
}

void HappensBefore::before_access(const Event& e) {
  if (e.kind == EventKind::kAlloc) {
    atomics_.forget(e.addr(), e.size);
  } else if (e.kind == EventKind::kAtomicLoad || e.kind == EventKind::kAtomicRmw) {
    atomic_load(thread(e.thread), e, e.order);
  } else if (e.kind == EventKind::kRead && is_synchronising(e)) {
    atomic_load(thread(e.thread), e, Order::kAcquire);
  }
}

void HappensBefore::after_access(const Event& e) {
  if (e.kind == EventKind::kAtomicStore || e.kind == EventKind::kAtomicRmw) {
    atomic_store(thread(e.thread), e, e.order, e.kind == EventKind::kAtomicRmw);
  } else if (e.kind == EventKind::kWrite && is_synchronising(e)) {
    // A reader of a volatile knows all earlier writers, not only the last: the sequence continues.
    atomic_store(thread(e.thread), e, Order::kRelease, true);
  }
}

void HappensBefore::advance(ThreadClock& t) {
  t.epoch = t.epoch.next();
  t.clock.set(t.epoch.slot(), t.epoch.clock());
}

void HappensBefore::acquire(ThreadClock& t, const LockState& m, bool exclusive) {
  if (!t.covers(m.released_at)) t.clock.join(m.released);
  if (exclusive && !m.readers.empty()) t.clock.join(m.readers);
}

void HappensBefore::atomic_load(ThreadClock& t, const Event& e, Order order) {
  atomics_.load(e.addr(), e.size, is_acquire(order) ? t.clock : t.pending_acquire);
}

void HappensBefore::atomic_store(ThreadClock& t, const Event& e, Order order,
                                 bool continues_sequence) {
  const VectorClock* published = nullptr;
  if (is_release(order)) {
    published = &t.clock;
  } else if (!t.release_fence.empty()) {
    published = &t.release_fence;
  }
  if (continues_sequence) {
    atomics_.modify(e.addr(), e.size, published);
  } else {
    atomics_.store(e.addr(), e.size, published);
  }
  if (is_release(order)) advance(t);
}

void HappensBefore::fence(ThreadClock& t, Order order) {
  if (is_acquire(order)) {
    t.clock.join(t.pending_acquire);
    t.pending_acquire.clear();
  }
  if (is_release(order)) {
    t.release_fence.assign(t.clock);
    advance(t);
  }
}

void HappensBefore::barrier_enter(ThreadClock& t, BarrierState& b) {
  b.filling.join(t.clock);
  b.entered.push_back(t.id);
  advance(t);
}

// The first to leave proves that the round is full; a fast thread may already enter the next round
// before a slow one leaves this one, so the two rounds' clocks are kept apart.
void HappensBefore::barrier_exit(ThreadClock& t, BarrierState& b) {
  if (std::find(b.entered.begin(), b.entered.end(), t.id) != b.entered.end()) {
    b.draining.assign(b.filling);
    b.filling.clear();
    b.entered.clear();
  }
  t.clock.join(b.draining);
}

void HappensBefore::fork(ThreadClock& t, ThreadId child) {
  start(child, &t);
  advance(t);
}

void HappensBefore::join(ThreadClock& t, ThreadId child) {
  ThreadClock& u = thread(child);
  if (&u == &t) return;
  t.clock.join(u.clock);
  if (u.live) end(u);
  free_threads_.push_back(&u);
  index_[raw(child)] = nullptr;
}

void HappensBefore::end(ThreadClock& t) {
  if (!t.live) return;
  t.live = false;
  slots_[static_cast<std::size_t>(t.epoch.slot())].final_clock = t.epoch.clock();
  ended_slots_.push_back(t.epoch.slot());
}

ThreadClock& HappensBefore::start_root(ThreadId id) {
  if (!threads_.empty()) ++unforked_;
  return start(id, nullptr);
}

ThreadClock& HappensBefore::start(ThreadId id, const ThreadClock* parent) {
  const std::size_t i = raw(id);
  if (i >= index_.size()) index_.resize(i + 1);
  if (index_[i] !=
      nullptr) {  // ill-formed: forked twice; the checker says so, the clocks stay sound
    ThreadClock& again = *index_[i];
    if (parent != nullptr) again.clock.join(parent->clock);
    again.clock.set(again.epoch.slot(), again.epoch.clock());
    return again;
  }
  const Slot slot = take_slot(parent);
  SlotState& tenancy = slots_[static_cast<std::size_t>(slot)];
  const std::uint64_t first_clock = tenancy.final_clock + 1;
  tenancy.tenants.push_back({first_clock, id});

  if (free_threads_.empty()) {
    index_[i] = &threads_.emplace_back(memory_);
  } else {
    index_[i] = free_threads_.back();
    free_threads_.pop_back();
  }
  ThreadClock& t = *index_[i];
  t.id = id;
  t.live = true;
  t.clock.clear();
  t.pending_acquire.clear();
  t.release_fence.clear();
  if (parent != nullptr) t.clock.assign(parent->clock);
  t.epoch = Epoch(slot, first_clock);
  t.clock.set(slot, first_clock);
  return t;
}

Slot HappensBefore::take_slot(const ThreadClock* parent) {
  // Those that ended longest ago are the likeliest to be known to the parent: threads are joined in
  // rounds. Then the newest, then some in turn, so that none is forgotten. (As core/live does: the
  // two number epochs alike.)
  constexpr std::size_t kTried = 16;
  const std::size_t n = ended_slots_.size();
  for (std::size_t k = 0; parent != nullptr && k < std::min(n, 3 * kTried); ++k) {
    const std::size_t i = k < kTried       ? k
                          : k < 2 * kTried ? n - 1 - (k - kTried)
                                           : next_tried_++ % n;
    const Slot slot = ended_slots_[i];
    if (parent->clock[slot] < slots_[static_cast<std::size_t>(slot)].final_clock) continue;
    if (i < n / 2) {
      ended_slots_[i] = ended_slots_.front();
      ended_slots_.pop_front();
    } else {
      ended_slots_[i] = ended_slots_.back();
      ended_slots_.pop_back();
    }
    return slot;
  }
  REDFLAG_CHECK(slots_.size() < kMaxSlots && "over a million threads that nothing orders");
  slots_.emplace_back(memory_);
  return Slot{static_cast<std::uint32_t>(slots_.size() - 1)};
}

ThreadId HappensBefore::owner(Epoch epoch) const {
  const auto& tenants = slots_[static_cast<std::size_t>(epoch.slot())].tenants;
  auto it = std::upper_bound(
      tenants.begin(), tenants.end(), epoch.clock(),
      [](std::uint64_t clock, const Tenancy& tenancy) { return clock < tenancy.first_clock; });
  REDFLAG_CHECK(it != tenants.begin());
  return std::prev(it)->thread;
}

void HappensBefore::floor(VectorClock& into) const {
  bool first = true;
  for (const ThreadClock& t : threads_) {
    if (!t.live) continue;
    if (first) {
      into.assign(t.clock);
      first = false;
    } else {
      into.meet(t.clock);
    }
  }
}

std::size_t HappensBefore::live_threads() const {
  return static_cast<std::size_t>(
      std::count_if(threads_.begin(), threads_.end(), [](const ThreadClock& t) { return t.live; }));
}

HappensBefore::LockState& HappensBefore::lock(LockId id) {
  LockState*& known = lock_index_[raw(id)];
  if (known == nullptr) known = &locks_.emplace_back(memory_);
  return *known;
}

HappensBefore::BarrierState& HappensBefore::barrier(BarrierId id) {
  BarrierState*& known = barrier_index_[raw(id)];
  if (known == nullptr) known = &barriers_.emplace_back(memory_);
  return *known;
}

}  // namespace redflag
