// Race: two conflicting accesses that nothing orders, as a detector sees them.
//
// Plain data, no strings: the same value travels from a detector, a GPU or another rank to whoever
// turns it into a Finding (finding.h). `first` comes before `second` in the trace. Epoch-based
// detectors know of `first` only its thread, clock and whether it wrote: its index, source, size
// and exact kind stay unknown (kNoIndex, kNoSource) until explain/ looks them up.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/model/event.h"

namespace redflag {

struct Access {
  Addr addr{0};
  EventIndex index = kNoIndex;
  std::uint64_t clock = 0;  // of its thread, when it was made; counts from 1, 0: unknown
  ThreadId thread{0};
  std::uint32_t size = 0;
  SourceId source = kNoSource;
  EventKind kind = EventKind::kRead;
  Order order = Order::kPlain;
  bool is_volatile = false;
  std::uint8_t unused = 0;

  friend constexpr bool operator==(const Access&, const Access&) = default;
};
static_assert(sizeof(Access) == 40, "travels between ranks as bytes");

// Classes of findings. The ids are stable: they are SARIF rule ids and suppression types. Detectors
// know the first six; the others come from live runs, which also see locks, threads and signal
// handlers used wrongly: these have one place, not two.
enum class Rule : std::uint32_t {
  kWriteWrite,
  kWriteRead,
  kReadWrite,
  kAtomicPlain,
  kFree,
  kLockset,
  kVptr,
  kUseAfterFree,
  kDestroyLocked,
  kDoubleLock,
  kUnlockUnlocked,
  kReadLockWrong,
  kReadUnlockWrong,
  kThreadLeak,
  kSignalUnsafe,
  kErrnoInSignal,
  // GPU programs (core/detect/gpu).
  kGpuScopedAtomic,
  kGpuScopedFence,
  kGpuMissingFence,
  kGpuLock,
  kGpuIntraWarp,
  kGpuIntraBlock,
  kGpuInterBlock,
  kGpuInterCluster,
  kGpuBarrierDivergence,
  kGpuBranchOrdering,
  kGpuAsyncCopy,
  kGpuHostDevice,
  // Kernels that end early (frontends/cuda/emulate).
  kGpuOutOfBounds,
  kGpuMisaligned,
  kGpuUseAfterFree,
  kGpuStopped,
  kGpuStuck,
  // One-sided programs (core/detect/pgas).
  kRmaTarget,
  kRmaLocal,
  kRmaBuffer,
  kRmaAtomic,
  kRmaPolling,
  kRmaPredicted,
  // Operations that are wrong whatever others do (frontends/pgas/track/misuse.h).
  kRmaNoEpoch,
  kRmaOutOfBounds,
  kRmaNoSuchRank,
  kRmaUnreachable,
  kRmaNotRunning,
  kRmaBadHandle,
  kRmaDoubleLock,
  kRmaUnlockUnlocked,
};
inline constexpr int kRuleCount = 47;
inline constexpr Rule kFirstGpuRule = Rule::kGpuScopedAtomic;
inline constexpr int kCpuRuleCount = static_cast<int>(kFirstGpuRule);
inline constexpr Rule kFirstRmaRule = Rule::kRmaTarget;
constexpr bool is_gpu(Rule rule) {
  return rule >= kFirstGpuRule && rule < kFirstRmaRule;
}
constexpr bool is_rma(Rule rule) {
  return rule >= kFirstRmaRule;
}

// What kind of fault: a race that happened, one that is only predicted, or misuse of something.
enum class RuleGroup : std::uint8_t {
  kRace,
  kPrediction,
  kLock,
  kThread,
  kSignal,
  kBarrier,
  kKernel,     // of one GPU thread, with what happened in missing_text
  kOperation,  // of one rank's one-sided operation, the same
};

struct RuleInfo {
  Rule rule;
  RuleGroup group;
  std::string_view id;
  std::string_view title;
  std::string_view explanation;
  std::string_view remedy;
  std::string_view tsan;  // what ThreadSanitizer calls it, for its report format
};

inline constexpr std::array<RuleInfo, kRuleCount> kRules{{
    {Rule::kWriteWrite, RuleGroup::kRace, "race-write-write", "data race: write against write",
     "Two threads write the same memory and nothing orders the writes: which value remains depends "
     "on timing.",
     "Hold one lock around both writes, make them atomic, or order the threads (join, barrier).",
     "data race"},
    {Rule::kWriteRead, RuleGroup::kRace, "race-write-read", "data race: write, then unordered read",
     "A thread reads memory that another thread writes, and nothing makes the write come first.",
     "Publish the data with a release store and an acquire load, or hold one lock on both sides.",
     "data race"},
    {Rule::kReadWrite, RuleGroup::kRace, "race-read-write", "data race: read, then unordered write",
     "A thread writes memory that another thread may still be reading.",
     "Let the writer wait for the readers (join, barrier), or hold one lock on both sides.",
     "data race"},
    {Rule::kAtomicPlain, RuleGroup::kRace, "race-atomic-plain",
     "data race: atomic against plain access",
     "One side is atomic, the other is a plain access of the same memory: the plain one still "
     "races.",
     "Make the plain access atomic too, or order it with the atomic one.", "data race"},
    {Rule::kFree, RuleGroup::kRace, "race-free", "data race: use against free",
     "Memory is given back while another thread may still use it.",
     "Let the freeing thread wait for the last user, or share ownership.", "data race"},
    {Rule::kLockset, RuleGroup::kPrediction, "lockset", "no common lock (prediction)",
     "Every thread that used this memory held some lock, but no lock was held every time. The two "
     "accesses may be ordered by other means in this run: a prediction, not a proof.",
     "Protect every access with the same lock, or confirm that other synchronisation orders them.",
     "data race"},
    {Rule::kVptr, RuleGroup::kRace, "race-vptr", "data race: virtual call against construction",
     "A virtual function is called while another thread constructs or destroys the object: which "
     "class's function runs is chance.",
     "Let the object be whole before other threads get it, and let them end before it does.",
     "data race on vptr (ctor/dtor vs virtual call)"},
    {Rule::kUseAfterFree, RuleGroup::kRace, "use-after-free", "use of freed memory",
     "Memory is used that was given back before; the allocator may have handed it to somebody "
     "else.",
     "Let the freeing thread wait for the last user, or share ownership.", "heap-use-after-free"},
    {Rule::kDestroyLocked, RuleGroup::kLock, "mutex-destroy-locked", "destroy of a locked mutex",
     "A mutex is destroyed, or its memory given back, while a thread holds it.",
     "Unlock it first, and let every thread be done with it before it is destroyed.",
     "destroy of a locked mutex"},
    {Rule::kDoubleLock, RuleGroup::kLock, "mutex-double-lock", "double lock of a mutex",
     "A thread locks a mutex that it holds already and that is not recursive.",
     "Split the function into a locking and a non-locking one, or make the mutex recursive.",
     "double lock of a mutex"},
    {Rule::kUnlockUnlocked, RuleGroup::kLock, "mutex-unlock-unlocked",
     "unlock of a mutex that is not held",
     "A thread unlocks a mutex that is not locked, or that another thread holds.",
     "Unlock in the thread that locked, once for each lock; std::lock_guard does both.",
     "unlock of an unlocked mutex (or by a wrong thread)"},
    {Rule::kReadLockWrong, RuleGroup::kLock, "rwlock-read-lock-written",
     "read lock of a write-locked mutex",
     "A thread locks for reading what it holds for writing: it waits for itself.",
     "Give the write lock up first, or read under it.", "read lock of a write locked mutex"},
    {Rule::kReadUnlockWrong, RuleGroup::kLock, "rwlock-read-unlock-written",
     "read unlock of a write-locked mutex",
     "A thread gives up a read lock of a mutex that is held for writing.",
     "Unlock the way it was locked.", "read unlock of a write locked mutex"},
    {Rule::kThreadLeak, RuleGroup::kThread, "thread-leak", "thread never joined",
     "A thread has ended and was neither joined nor detached: its stack is kept until the program "
     "ends.",
     "Join the thread, or detach it when its result is not needed.", "thread leak"},
    {Rule::kSignalUnsafe, RuleGroup::kSignal, "signal-unsafe-call",
     "unsafe call in a signal handler",
     "A signal handler calls a function that is not async-signal-safe: it may have interrupted "
     "that very function.",
     "Only set a flag (volatile sig_atomic_t) or write to a pipe in the handler.",
     "signal-unsafe call inside of a signal"},
    {Rule::kErrnoInSignal, RuleGroup::kSignal, "signal-changes-errno",
     "signal handler changes errno",
     "The code that the handler interrupted may look at errno and find the handler's.",
     "Save errno at the beginning of the handler and restore it at the end.",
     "signal handler spoils errno"},
    {Rule::kGpuScopedAtomic, RuleGroup::kRace, "gpu-scoped-atomic",
     "GPU data race: scope of an atomic too narrow",
     "Two threads meet at atomics, but the scope of one does not include the other thread: they "
     "need "
     "not see each other's values.",
     "Widen the scope of the atomic: device scope for threads of other blocks.", "data race"},
    {Rule::kGpuScopedFence, RuleGroup::kRace, "gpu-scoped-fence",
     "GPU data race: scope of a fence too narrow",
     "A fence stands between the access and the signal, but its scope does not include the other "
     "thread.",
     "Widen the fence: __threadfence() for threads of other blocks.", "data race"},
    {Rule::kGpuMissingFence, RuleGroup::kRace, "gpu-missing-fence", "GPU data race: missing fence",
     "One thread signals another by an atomic, but no fence keeps the data and the signal in "
     "order.",
     "Put a __threadfence() between the data and the signal, or use release and acquire.",
     "data race"},
    {Rule::kGpuLock, RuleGroup::kRace, "gpu-lock", "GPU data race: lock",
     "At least one side holds a lock, yet the two accesses are not ordered: the other side does "
     "not "
     "hold it, or the lock's fences or scopes do not include it.",
     "Take the same lock on both sides, with a fence after taking it and before giving it back, "
     "all at "
     "a scope that includes both threads.",
     "data race"},
    {Rule::kGpuIntraWarp, RuleGroup::kRace, "gpu-intra-warp", "GPU data race: within a warp",
     "Two lanes of one warp access the same memory and nothing orders them: lanes do not run in "
     "lockstep.",
     "Put a __syncwarp() between the two accesses.", "data race"},
    {Rule::kGpuIntraBlock, RuleGroup::kRace, "gpu-intra-block", "GPU data race: within a block",
     "Two warps of one block access the same memory and no barrier stands between.",
     "Put a __syncthreads() between the two accesses.", "data race"},
    {Rule::kGpuInterBlock, RuleGroup::kRace, "gpu-inter-block", "GPU data race: between blocks",
     "Two blocks access the same memory and nothing orders them.",
     "Signal by an atomic with release and acquire at device scope, use a grid barrier, or split "
     "the "
     "kernel.",
     "data race"},
    {Rule::kGpuInterCluster, RuleGroup::kRace, "gpu-inter-cluster",
     "GPU data race: between clusters",
     "Blocks of two clusters access the same memory and nothing orders them.",
     "Signal by an atomic with release and acquire at device scope, or split the kernel.",
     "data race"},
    {Rule::kGpuBarrierDivergence, RuleGroup::kBarrier, "gpu-barrier-divergence",
     "barrier reached by part of the threads",
     "Some threads reach a barrier that others of the same warp do not reach with them: the kernel "
     "may hang, or threads of different barriers meet.",
     "Move the barrier out of the branch, so that all threads reach it.", "barrier divergence"},
    {Rule::kGpuBranchOrdering, RuleGroup::kRace, "gpu-branch-ordering",
     "GPU data race: between the paths of a branch",
     "Lanes of one warp on different paths of a branch access the same memory: which path runs "
     "first "
     "is not defined.",
     "Put a __syncwarp() between the paths, or let one path do both.", "data race"},
    {Rule::kGpuAsyncCopy, RuleGroup::kRace, "gpu-async-copy",
     "GPU data race: with an asynchronous copy",
     "Memory is accessed while an asynchronous copy may still read or write it.",
     "Wait for the copy (cp.async.wait_group, its barrier), then let a barrier tell other threads.",
     "data race"},
    {Rule::kGpuHostDevice, RuleGroup::kRace, "gpu-host-device",
     "GPU data race: missing synchronisation of host or streams",
     "A kernel or copy may still be running when the host, or work in another stream, accesses the "
     "same memory.",
     "Synchronise the stream or device first, or let the other stream wait for an event.",
     "data race"},
    {Rule::kGpuOutOfBounds, RuleGroup::kKernel, "gpu-out-of-bounds",
     "kernel accesses memory outside of every allocation",
     "A thread of a kernel accesses an address outside of every allocation of the device.",
     "Check the index against the size; the last block is often larger than what is left.",
     "out-of-bounds access"},
    {Rule::kGpuMisaligned, RuleGroup::kKernel, "gpu-misaligned", "misaligned access of a kernel",
     "The address of an access is not a multiple of its size: the GPU refuses it.",
     "Align the pointer to the type that it is read or written as.", "misaligned access"},
    {Rule::kGpuUseAfterFree, RuleGroup::kKernel, "gpu-use-after-free", "kernel uses freed memory",
     "A thread of a kernel accesses memory that was given back by cudaFree or its kin.",
     "Free the memory after the last kernel that uses it has ended.", "use-after-free"},
    {Rule::kGpuStopped, RuleGroup::kKernel, "gpu-stopped", "kernel stopped by itself",
     "A thread of a kernel reached a trap or a failing assert, or ran out of stack or memory.",
     "Look at the condition that the kernel checks there.", "kernel stopped"},
    {Rule::kGpuStuck, RuleGroup::kKernel, "gpu-stuck", "kernel does not end",
     "The threads of a kernel wait for something that does not come, or longer than --timeout.",
     "Let every thread of the block reach the barrier, and the one that is waited for run first.",
     "kernel does not end"},
    {Rule::kRmaTarget, RuleGroup::kRace, "rma-target",
     "one-sided data race: two operations at a target",
     "Two one-sided operations touch the same memory of a rank, one of them writes, and nothing "
     "orders them.",
     "Complete the first at its target (flush, unlock, fence), then synchronise the ranks.",
     "data race"},
    {Rule::kRmaLocal, RuleGroup::kRace, "rma-local",
     "one-sided data race: an operation against a load or store",
     "A rank loads or stores memory that another rank's one-sided operation may touch at the same "
     "time.",
     "Complete the operation at its target (flush, unlock, fence), then synchronise the ranks.",
     "data race"},
    {Rule::kRmaBuffer, RuleGroup::kRace, "rma-buffer",
     "one-sided data race: a buffer used before its operation is complete",
     "The buffer of a nonblocking operation is used again before the operation is locally "
     "complete.",
     "Complete the operation first: flush_local, a wait for its request, or the end of the epoch.",
     "data race"},
    {Rule::kRmaAtomic, RuleGroup::kRace, "rma-atomic",
     "one-sided data race: atomic operations that are not alike",
     "Accumulate operations are atomic only with those of the same type, operation and elements.",
     "Use one predefined type and one operation on both sides, or order them.", "data race"},
    {Rule::kRmaPolling, RuleGroup::kRace, "rma-polling",
     "one-sided data race: a value is polled with loads",
     "A rank loads the same memory again and again while another rank's operation writes it. The "
     "loads see the old value or the new one, but the compiler may load only once, and what the "
     "writer did before is not ordered by it.",
     "Poll with an atomic operation (MPI_Fetch_and_op with MPI_NO_OP) or wait function "
     "(shmem_wait_until), and write with an atomic one.",
     "data race"},
    {Rule::kRmaPredicted, RuleGroup::kPrediction, "rma-predicted",
     "one-sided data race in another run (prediction)",
     "Two accesses that conflict were ordered in this run only by who took a lock first, and hold "
     "no "
     "lock in common: another run may make them in another order, or together. A prediction, not a "
     "proof.",
     "Hold one exclusive lock around both, or synchronise the ranks by a barrier or a message.",
     "data race"},
    {Rule::kRmaNoEpoch, RuleGroup::kOperation, "rma-no-epoch",
     "one-sided operation outside of any epoch",
     "An operation is called where no epoch of its window is open towards the target: what it "
     "does, and when, is not defined.",
     "Open one before it: MPI_Win_fence, MPI_Win_start with the target in its group, MPI_Win_lock "
     "on the target, or MPI_Win_lock_all.",
     "one-sided operation outside of any epoch"},
    {Rule::kRmaOutOfBounds, RuleGroup::kOperation, "rma-out-of-bounds",
     "one-sided operation beyond the target's window or symmetric object",
     "An operation touches bytes of the target that are not in its part of the window, or beyond "
     "the "
     "attached region or symmetric allocation that it begins in: the library may overwrite other "
     "memory, or end the job.",
     "Check displacement and count against the size that the target gave; displacements are in "
     "the target's units, counts in elements.",
     "out-of-bounds one-sided operation"},
    {Rule::kRmaNoSuchRank, RuleGroup::kOperation, "rma-no-such-rank",
     "one-sided operation towards a rank that does not exist",
     "The target is a rank in the group of the window, not of MPI_COMM_WORLD, or a PE from 0 to "
     "shmem_n_pes() - 1; this number is outside of that.",
     "Translate the rank (MPI_Group_translate_ranks), or use MPI_PROC_NULL for no target; check "
     "how the program computes a neighbour's PE.",
     "one-sided operation towards no rank"},
    {Rule::kRmaUnreachable, RuleGroup::kOperation, "rma-unreachable",
     "one-sided operation on memory that others cannot reach",
     "The memory is not symmetric (a stack, malloc, a variable of a shared library), was freed, or "
     "is not attached to the dynamic window: what the operation touches at the target is chance.",
     "Take memory from shmem_malloc, or a global variable of the program; attach the memory before "
     "its address is sent to other ranks, and detach it when their operations are complete.",
     "one-sided operation on unreachable memory"},
    {Rule::kRmaNotRunning, RuleGroup::kOperation, "rma-not-running",
     "one-sided operation while the library is not running",
     "An operation is called before the library was initialised, or after it was finalized.",
     "Move the call between initialisation (MPI_Init, shmem_init) and MPI_Finalize or "
     "shmem_finalize; destructors of global objects come too late.",
     "one-sided operation while the library is not running"},
    {Rule::kRmaBadHandle, RuleGroup::kOperation, "rma-bad-handle",
     "one-sided operation on a context or window that is not there",
     "The context was destroyed or never created, or the window was freed: the library may use "
     "memory that is gone.",
     "Look at the result of shmem_ctx_create, and destroy the context, or free the window, after "
     "the last operation on it.",
     "one-sided operation on an invalid handle"},
    {Rule::kRmaDoubleLock, RuleGroup::kOperation, "rma-double-lock",
     "symmetric lock set twice by one PE",
     "A PE sets a lock that it holds: it waits for itself, for ever.",
     "Clear the lock before it is set again; for nested use, count in the program.",
     "double lock of a symmetric lock"},
    {Rule::kRmaUnlockUnlocked, RuleGroup::kOperation, "rma-unlock-unlocked",
     "symmetric lock cleared by a PE that does not hold it",
     "A PE clears a lock that it has not set: the lock no longer protects the PE that holds it.",
     "Clear a lock where it was set, and only after shmem_test_lock returned 0.",
     "unlock of a symmetric lock that is not held"},
}};

// The table is indexed by rule.
consteval bool rules_in_order() {
  for (std::size_t i = 0; i < kRules.size(); ++i) {
    if (static_cast<std::size_t>(kRules[i].rule) != i) return false;
  }
  return true;
}
static_assert(rules_in_order());

constexpr const RuleInfo& info(Rule rule) {
  return kRules[static_cast<std::size_t>(rule)];
}

// Two accesses that nothing orders; else misuse, which happens at one place.
constexpr bool is_race(Rule rule) {
  const RuleGroup group = info(rule).group;
  return group == RuleGroup::kRace || group == RuleGroup::kPrediction;
}

constexpr bool writes(EventKind k) {
  return k == EventKind::kWrite || k == EventKind::kAtomicStore || k == EventKind::kAtomicRmw ||
         k == EventKind::kFree;
}

// The class of a race from its two accesses, which must conflict.
constexpr Rule classify(EventKind first, EventKind second) {
  if (first == EventKind::kFree || second == EventKind::kFree) return Rule::kFree;
  if (is_atomic(first) != is_atomic(second)) return Rule::kAtomicPlain;
  if (writes(first)) return writes(second) ? Rule::kWriteWrite : Rule::kWriteRead;
  return Rule::kReadWrite;
}

struct Race {
  Rule rule = Rule::kWriteWrite;
  std::uint32_t size = 0;  // of the bytes both sides touched
  Addr addr{0};            // first of those bytes
  Access first;
  Access second;

  friend constexpr bool operator==(const Race&, const Race&) = default;
};
static_assert(sizeof(Race) == 96, "travels between ranks as bytes");

// Where detectors put what they find. Called on the detector's thread, in the order of
// second.index; an implementation may throw nothing and must not call back into the detector.
class FindingSink {
 public:
  virtual void on_race(const Race& race) = 0;

 protected:
  ~FindingSink() = default;
};

}  // namespace redflag
