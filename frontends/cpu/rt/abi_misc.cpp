// What programs call by themselves: annotations of locks, of order, of fibers, of what to ignore.
#include <cstddef>
#include <cstdint>

#include "frontends/cpu/rt/benign.h"
#include "frontends/cpu/rt/options.h"
#include "frontends/cpu/rt/runtime.h"
#include "frontends/cpu/rt/text.h"
#include "frontends/cpu/rt/thread.h"

using namespace redflag::rt;

#define REDFLAG_ABI extern "C" __attribute__((visibility("default")))
#define REDFLAG_CALL(name) \
  LibraryCall call(reinterpret_cast<const void*>(&name), __builtin_return_address(0))
#define REDFLAG_ANNOTATION(name) \
  REDFLAG_CALL(name);            \
  if (!call) return;             \
  [[maybe_unused]] Thread& t = *call.thread
// The functions Annotate...: TSAN_OPTIONS=enable_annotations=0 makes them do nothing.
#define REDFLAG_OLD_ANNOTATION(name)  \
  if (!g_options.annotations) return; \
  REDFLAG_ANNOTATION(name)

// --- Order --------------------------------------------------------------------------------------------
REDFLAG_ABI void __tsan_acquire(void* p) {
  REDFLAG_ANNOTATION(__tsan_acquire);
  acquire(t, reinterpret_cast<SyncKey>(p));
}
REDFLAG_ABI void __tsan_release(void* p) {
  REDFLAG_ANNOTATION(__tsan_release);
  release(t, reinterpret_cast<SyncKey>(p));
}
REDFLAG_ABI void AnnotateHappensBefore(const char*, int, std::uintptr_t p) {
  REDFLAG_OLD_ANNOTATION(AnnotateHappensBefore);
  release(t, p);
}
REDFLAG_ABI void AnnotateHappensAfter(const char*, int, std::uintptr_t p) {
  REDFLAG_OLD_ANNOTATION(AnnotateHappensAfter);
  acquire(t, p);
}

// --- Locks of the program's own making -----------------------------------------------------------------
namespace {
// include/sanitizer/tsan_interface.h, the flags' values.
enum MutexFlags : unsigned {
  kLinkerInit = 1 << 0,
  kWriteReentrant = 1 << 1,
  kReadReentrant = 1 << 2,
  kNotStatic = 1 << 8,
  kReadLock = 1 << 3,
  kTryLock = 1 << 4,
  kTryLockFailed = 1 << 5,
  kRecursiveLock = 1 << 6,
  kRecursiveUnlock = 1 << 7,
};
unsigned traits_of(unsigned flags) {
  unsigned traits = kLockReadWrite;
  if ((flags & (kWriteReentrant | kReadReentrant)) != 0) traits |= kLockReentrant;
  if ((flags & kLinkerInit) != 0) traits |= kLockStatic;
  if ((flags & kNotStatic) != 0) traits |= kLockNotStatic;
  return traits;
}
// Locks in static storage may be used after their destructor has run: it means nothing then.
void destroy_annotated(Thread& t, void* m, unsigned flags) {
  const std::uint32_t traits =
      g_runtime.detector.lock_traits(*t.live, reinterpret_cast<std::uint64_t>(m));
  if ((flags & kLinkerInit) != 0 || (traits & kLockStatic) != 0) return;
  if ((flags & kNotStatic) != 0 && (traits & kLockNotStatic) == 0) return;
  lock_destroyed(t, m);
}
}  // namespace

REDFLAG_ABI void __tsan_mutex_create(void* m, unsigned flags) {
  REDFLAG_ANNOTATION(__tsan_mutex_create);
  lock_created(t, m, traits_of(flags));
}
REDFLAG_ABI void __tsan_mutex_destroy(void* m, unsigned flags) {
  REDFLAG_ANNOTATION(__tsan_mutex_destroy);
  destroy_annotated(t, m, flags);
}
// Between pre and post the program's own lock code runs; it is not to be checked.
REDFLAG_ABI void __tsan_mutex_pre_lock(void*, unsigned) {
  if (Thread* t = self(); t != nullptr) {
    ignore_accesses(*t, true);
    ignore_sync(*t, true);
  }
}
REDFLAG_ABI void __tsan_mutex_post_lock(void* m, unsigned flags, int depth) {
  REDFLAG_ANNOTATION(__tsan_mutex_post_lock);
  ignore_accesses(t, false);
  ignore_sync(t, false);
  if ((flags & kTryLockFailed) != 0) return;
  const LockMode mode = (flags & kReadLock) != 0 ? LockMode::kShared : LockMode::kExclusive;
  lock_acquired(t, m, mode, (flags & kRecursiveLock) != 0 && depth > 0 ? depth : 1);
}
REDFLAG_ABI int __tsan_mutex_pre_unlock(void* m, unsigned flags) {
  REDFLAG_CALL(__tsan_mutex_pre_unlock);
  if (!call) return 0;
  Thread& t = *call.thread;
  int depth = 0;
  if ((flags & kReadLock) != 0) {
    lock_released(t, m, LockMode::kShared);
  } else if ((flags & kRecursiveUnlock) != 0) {
    depth = lock_released_fully(t, m);
  } else {
    lock_released(t, m, LockMode::kExclusive);
  }
  ignore_accesses(t, true);
  ignore_sync(t, true);
  return depth;
}
REDFLAG_ABI void __tsan_mutex_post_unlock(void*, unsigned) {
  if (Thread* t = self(); t != nullptr) {
    ignore_accesses(*t, false);
    ignore_sync(*t, false);
  }
}
REDFLAG_ABI void __tsan_mutex_pre_signal(void*, unsigned) {
  if (Thread* t = self(); t != nullptr) {
    ignore_accesses(*t, true);
    ignore_sync(*t, true);
  }
}
REDFLAG_ABI void __tsan_mutex_post_signal(void*, unsigned) {
  if (Thread* t = self(); t != nullptr) {
    ignore_accesses(*t, false);
    ignore_sync(*t, false);
  }
}
// The program calls out of its lock code for a while.
REDFLAG_ABI void __tsan_mutex_pre_divert(void*, unsigned) {
  if (Thread* t = self(); t != nullptr) {
    ignore_accesses(*t, false);
    ignore_sync(*t, false);
  }
}
REDFLAG_ABI void __tsan_mutex_post_divert(void*, unsigned) {
  if (Thread* t = self(); t != nullptr) {
    ignore_accesses(*t, true);
    ignore_sync(*t, true);
  }
}

REDFLAG_ABI void AnnotateRWLockCreate(const char*, int, std::uintptr_t m) {
  REDFLAG_OLD_ANNOTATION(AnnotateRWLockCreate);
  lock_created(t, reinterpret_cast<void*>(m), kLockReadWrite);
}
REDFLAG_ABI void AnnotateRWLockCreateStatic(const char*, int, std::uintptr_t m) {
  REDFLAG_OLD_ANNOTATION(AnnotateRWLockCreateStatic);
  lock_created(t, reinterpret_cast<void*>(m), kLockReadWrite | kLockStatic);
}
REDFLAG_ABI void AnnotateRWLockDestroy(const char*, int, std::uintptr_t m) {
  REDFLAG_OLD_ANNOTATION(AnnotateRWLockDestroy);
  destroy_annotated(t, reinterpret_cast<void*>(m), 0);
}
REDFLAG_ABI void AnnotateRWLockAcquired(const char*, int, std::uintptr_t m, std::uintptr_t is_w) {
  REDFLAG_OLD_ANNOTATION(AnnotateRWLockAcquired);
  lock_acquired(t, reinterpret_cast<void*>(m),
                is_w != 0 ? LockMode::kExclusive : LockMode::kShared);
}
REDFLAG_ABI void AnnotateRWLockReleased(const char*, int, std::uintptr_t m, std::uintptr_t is_w) {
  REDFLAG_OLD_ANNOTATION(AnnotateRWLockReleased);
  lock_released(t, reinterpret_cast<void*>(m),
                is_w != 0 ? LockMode::kExclusive : LockMode::kShared);
}

namespace {
Thread* annotated() {
  return g_options.annotations ? self() : nullptr;
}
}  // namespace

// --- What to ignore --------------------------------------------------------------------------------------
REDFLAG_ABI void AnnotateIgnoreReadsBegin(const char*, int) {
  if (Thread* t = annotated(); t != nullptr) ignore_accesses(*t, true);
}
REDFLAG_ABI void AnnotateIgnoreReadsEnd(const char*, int) {
  if (Thread* t = annotated(); t != nullptr) ignore_accesses(*t, false);
}
REDFLAG_ABI void AnnotateIgnoreWritesBegin(const char*, int) {
  if (Thread* t = annotated(); t != nullptr) ignore_accesses(*t, true);
}
REDFLAG_ABI void AnnotateIgnoreWritesEnd(const char*, int) {
  if (Thread* t = annotated(); t != nullptr) ignore_accesses(*t, false);
}
REDFLAG_ABI void AnnotateIgnoreSyncBegin(const char*, int) {
  g_runtime.sync_ignored.store(true, std::memory_order_relaxed);
  if (Thread* t = annotated(); t != nullptr) ignore_sync(*t, true);
}
REDFLAG_ABI void AnnotateIgnoreSyncEnd(const char*, int) {
  if (Thread* t = annotated(); t != nullptr) ignore_sync(*t, false);
}
REDFLAG_ABI void __tsan_ignore_thread_begin() {
  if (Thread* t = self(); t != nullptr) ignore_accesses(*t, true);
}
REDFLAG_ABI void __tsan_ignore_thread_end() {
  if (Thread* t = self(); t != nullptr) ignore_accesses(*t, false);
}
REDFLAG_ABI void AnnotateNewMemory(const char*, int, std::uintptr_t p, std::uintptr_t n) {
  if (!g_options.annotations) return;
  memory_replaced(reinterpret_cast<void*>(p), n);
}
REDFLAG_ABI void AnnotateFlushState(const char*, int) {}
// Shadow memory that was given up would hide races; what can be is given back as it goes.
REDFLAG_ABI void __tsan_flush_memory() {}
REDFLAG_ABI void AnnotateThreadName(const char*, int, const char* name) {
  if (Thread* t = self(); t != nullptr) thread_named(*t, name);
}

// Annotations of tools that came before, which say nothing that matters here.
REDFLAG_ABI void AnnotateCondVarSignal(const char*, int, std::uintptr_t) {}
REDFLAG_ABI void AnnotateCondVarSignalAll(const char*, int, std::uintptr_t) {}
REDFLAG_ABI void AnnotateMutexIsNotPHB(const char*, int, std::uintptr_t) {}
REDFLAG_ABI void AnnotateMutexIsUsedAsCondVar(const char*, int, std::uintptr_t) {}
REDFLAG_ABI void AnnotateCondVarWait(const char*, int, std::uintptr_t, std::uintptr_t) {}
REDFLAG_ABI void AnnotatePCQCreate(const char*, int, std::uintptr_t) {}
REDFLAG_ABI void AnnotatePCQDestroy(const char*, int, std::uintptr_t) {}
REDFLAG_ABI void AnnotatePCQPut(const char*, int, std::uintptr_t) {}
REDFLAG_ABI void AnnotatePCQGet(const char*, int, std::uintptr_t) {}
REDFLAG_ABI void AnnotateExpectRace(const char*, int, std::uintptr_t, const char*) {}
REDFLAG_ABI void AnnotateFlushExpectedRaces(const char*, int) {}
REDFLAG_ABI void AnnotateNoOp(const char*, int, std::uintptr_t) {}
REDFLAG_ABI void AnnotateEnableRaceDetection(const char*, int, int) {}
REDFLAG_ABI void AnnotatePublishMemoryRange(const char*, int, std::uintptr_t, std::uintptr_t) {}
REDFLAG_ABI void AnnotateUnpublishMemoryRange(const char*, int, std::uintptr_t, std::uintptr_t) {}
REDFLAG_ABI void AnnotateTraceMemory(const char*, int, std::uintptr_t) {}
// The program says that races on this memory do no harm: they are not told (benign.h).
REDFLAG_ABI void AnnotateBenignRace(const char*, int, std::uintptr_t p, const char*) {
  if (!g_options.annotations) return;
  benign_race(reinterpret_cast<void*>(p), 1);
}
REDFLAG_ABI void AnnotateBenignRaceSized(const char*, int, std::uintptr_t p, std::uintptr_t n,
                                         const char*) {
  if (!g_options.annotations) return;
  benign_race(reinterpret_cast<void*>(p), n);
}
REDFLAG_ABI void WTFAnnotateBenignRaceSized(const char*, int, std::uintptr_t p, std::uintptr_t n,
                                            const char*) {
  if (!g_options.annotations) return;
  benign_race(reinterpret_cast<void*>(p), n);
}
REDFLAG_ABI void WTFAnnotateHappensBefore(const char* f, int l, std::uintptr_t p) {
  AnnotateHappensBefore(f, l, p);
}
REDFLAG_ABI void WTFAnnotateHappensAfter(const char* f, int l, std::uintptr_t p) {
  AnnotateHappensAfter(f, l, p);
}
REDFLAG_ABI int RunningOnValgrind() {
  return g_options.on_valgrind ? 1 : 0;
}
REDFLAG_ABI double ValgrindSlowdown() {
  return 10.0;
}
REDFLAG_ABI const char* ThreadSanitizerQuery(const char*) {
  return "0";
}
REDFLAG_ABI void AnnotateMemoryIsInitialized(const char*, int, std::uintptr_t, std::uintptr_t) {}
REDFLAG_ABI void AnnotateMemoryIsUninitialized(const char*, int, std::uintptr_t, std::uintptr_t) {}

// A wrong place for a lock is no finding here: it is said, and the exit status stays.
REDFLAG_ABI void __tsan_check_no_mutexes_held() {
  REDFLAG_ANNOTATION(__tsan_check_no_mutexes_held);
  if (t.live->held_count == 0) return;
  redflag::rt::TextBuffer<160> line;
  line.add("thread T").add_number(t.number).add(" holds ").add_number(t.live->held_count);
  redflag::rt::say(line.add(" lock(s) where __tsan_check_no_mutexes_held() was called").text());
}

// --- Fibers ------------------------------------------------------------------------------------------------
REDFLAG_ABI void* __tsan_get_current_fiber() {
  return self();
}
REDFLAG_ABI void* __tsan_create_fiber(unsigned) {
  REDFLAG_CALL(__tsan_create_fiber);
  return call ? fiber_created(*call.thread) : nullptr;
}
REDFLAG_ABI void __tsan_destroy_fiber(void* fiber) {
  REDFLAG_ANNOTATION(__tsan_destroy_fiber);
  fiber_destroyed(t, static_cast<Thread*>(fiber));
}
REDFLAG_ABI void __tsan_switch_to_fiber(void* fiber, unsigned flags) {
  if (Thread* t = self(); t != nullptr) {
    fiber_switched(*t, static_cast<Thread*>(fiber), (flags & 1) == 0);
  }
}
REDFLAG_ABI void __tsan_set_fiber_name(void* fiber, const char* name) {
  if (fiber != nullptr) thread_named(*static_cast<Thread*>(fiber), name);
}

// --- Objects of libraries that are not instrumented (their header calls these "external") -----------------
REDFLAG_ABI void* __tsan_external_register_tag(const char*) {
  static char tags[64];
  static unsigned used = 0;
  return &tags[used++ % sizeof(tags)];
}
REDFLAG_ABI void __tsan_external_register_header(void*, const char*) {}
REDFLAG_ABI void __tsan_external_assign_tag(void*, void*) {}
REDFLAG_ABI void __tsan_external_read(void* p, void*, void*) {
  REDFLAG_ANNOTATION(__tsan_external_read);
  redflag::rt::read(t, p, 1);
}
REDFLAG_ABI void __tsan_external_write(void* p, void*, void*) {
  REDFLAG_ANNOTATION(__tsan_external_write);
  redflag::rt::write(t, p, 1);
}

// --- LLVM's tests ---------------------------------------------------------------------------------------------
// A barrier that orders nothing: tests force an interleaving with it.
// The lower bits hold how many threads meet, the upper ones how many have come so far.
namespace {
constexpr unsigned kPartyBits = 10;
unsigned round_of(unsigned barrier) {
  return (barrier >> kPartyBits) / (barrier & ((1U << kPartyBits) - 1));
}
}  // namespace
REDFLAG_ABI void __tsan_testonly_barrier_init(unsigned* barrier, unsigned count) {
  __atomic_store_n(barrier, count, __ATOMIC_SEQ_CST);
}
REDFLAG_ABI void __tsan_testonly_barrier_wait(unsigned* barrier) {
  const unsigned before = __atomic_fetch_add(barrier, 1U << kPartyBits, __ATOMIC_SEQ_CST);
  while (round_of(__atomic_load_n(barrier, __ATOMIC_SEQ_CST)) == round_of(before)) {
    redflag::live::os_yield();
  }
}
REDFLAG_ABI unsigned long __tsan_testonly_shadow_stack_current_size() {
  Thread* t = self();
  return t == nullptr ? 0 : call_depth(*t);
}
