// Locks, of runtime.h: what is acquired and released, by whom, and what is done wrong with them.
#include "frontends/cpu/rt/between.h"
#include "frontends/cpu/rt/record.h"
#include "frontends/cpu/rt/report.h"
#include "frontends/cpu/rt/runtime.h"
#include "frontends/cpu/rt/sampling.h"
#include "frontends/cpu/rt/thread.h"

namespace redflag::rt {
namespace {

live::Detector& detector() {
  return g_runtime.detector;
}
std::uint64_t address(const volatile void* p) {
  return reinterpret_cast<std::uint64_t>(p);
}

void report_fault(Thread& t, live::Detector::LockFault fault, bool release, bool shared,
                  const void* lock) {
  using Fault = live::Detector::LockFault;
  if (fault == Fault::kFine) return;
  if (fault == Fault::kDouble) return misused(t, Misuse::kDoubleLock, lock);
  if (shared) return misused(t, release ? Misuse::kReadUnlockWrong : Misuse::kReadLockWrong, lock);
  misused(t, Misuse::kUnlockUnlocked, lock);
}

// Does anybody want to know of each step?
bool is_told() {
  return g_runtime.recording || g_runtime.between != nullptr;
}

// The lock's own number, for traces: addresses are used again.
std::uint64_t held_id(const Thread& t, std::uint64_t addr) {
  for (std::uint32_t i = t.live->held_count; i > 0; --i) {
    if (t.live->held[i - 1].addr == addr) return t.live->held[i - 1].lock;
  }
  return 0;
}

}  // namespace

void lock_created(Thread& t, void* lock, std::uint32_t traits) {
  if ((traits & kLockStatic) == 0 && t.live->ignore_accesses == 0) {
    detector().range(*t.live, address(lock), 1, live::LogKind::kWrite, place(t));
  }
  detector().lock_created(*t.live, address(lock), traits, place(t));
}

void lock_destroyed(Thread& t, void* lock) {
  const std::uint32_t held = t.live->held_count == 0 ? 0 : detector().lockset(*t.live);
  if (!detector().lock_destroyed(*t.live, address(lock))) {
    report_misuse(t, Misuse::kDestroyLocked, address(lock), 1, held);
  }
  if (t.live->ignore_accesses == 0) {
    detector().range(*t.live, address(lock), 1, live::LogKind::kWrite, place(t));
  }
}

void lock_acquired(Thread& t, void* lock, LockMode mode, int depth) {
  const SyncTime time;
  const bool shared = mode == LockMode::kShared;
  const std::uint64_t addr = address(lock);
  const std::uint32_t before = t.live->held_count;
  const auto fault =
      detector().lock_acquired(*t.live, addr, shared, static_cast<std::uint32_t>(depth), place(t));
  if (t.live->held_count != before && is_told()) {
    const EventKind kind = shared ? EventKind::kAcquireShared : EventKind::kAcquire;
    record_sync(t, kind, held_id(t, addr));
    step_lock(t, kind, addr, held_id(t, addr));
  }
  report_fault(t, fault, false, shared, lock);
}

void lock_released(Thread& t, void* lock, LockMode mode) {
  const SyncTime time;
  const bool shared = mode == LockMode::kShared;
  const std::uint64_t addr = address(lock);
  const std::uint64_t id = is_told() ? held_id(t, addr) : 0;
  const std::uint32_t before = t.live->held_count;
  // Recorded first: the lock's next owner may come before we are back.
  const auto fault = detector().lock_released(*t.live, addr, shared, false, nullptr);
  if (t.live->held_count != before && is_told()) {
    const EventKind kind = shared ? EventKind::kReleaseShared : EventKind::kRelease;
    record_sync(t, kind, id);
    step_lock(t, kind, addr, id);
  }
  report_fault(t, fault, true, shared, lock);
}

void lock_released_any(Thread& t, void* lock) {
  const bool shared = detector().holds_shared(*t.live, address(lock));
  lock_released(t, lock, shared ? LockMode::kShared : LockMode::kExclusive);
}

int lock_released_fully(Thread& t, void* lock) {
  const std::uint64_t addr = address(lock);
  const std::uint64_t id = is_told() ? held_id(t, addr) : 0;
  std::uint32_t depth = 1;
  const auto fault = detector().lock_released(*t.live, addr, false, true, &depth);
  if (id != 0) {
    record_sync(t, EventKind::kRelease, id);
    step_lock(t, EventKind::kRelease, addr, id);
  }
  report_fault(t, fault, true, false, lock);
  return static_cast<int>(depth);
}

void lock_inherited(Thread& t, void* lock) {
  // The dead owner released nothing; what it did until its end happens before this.
  const std::uint32_t owner = detector().lock_abandoned(*t.live, address(lock));
  if (owner != 0) {
    const live::Guard guard(g_runtime.threads_lock);
    Thread* dead = find_thread(owner - 1);
    if (dead != nullptr && dead->ended) detector().joined(*t.live, *dead->live);
  }
  lock_acquired(t, lock, LockMode::kExclusive, 1);
}

}  // namespace redflag::rt
