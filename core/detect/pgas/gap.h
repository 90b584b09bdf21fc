// Gap: what was missing between two accesses of a one-sided program that race.
//
// The two halves of order in these models go wrong in different ways, and are mended in different
// places: an operation must complete, and its completion must become known to whoever comes next.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/detect/pgas/phase.h"

namespace redflag::pgas {

enum class Gap : std::uint8_t {
  kBuffer,           // a local buffer was used while an operation may still read or write it
  kNotCompleted,     // they are synchronised, but the first was not complete by then
  kNotSynchronised,  // it was complete, but nothing told the other
  kNeither,          // neither completed nor synchronised
  kAtomicity,        // both atomic, but not alike
  kOtherAtomic,      // the one for the library, the other for the processor
  kNotAtomic,        // one is atomic, the other is not
  kPolling,          // a value is waited for with loads
  kLockOrder,        // predicted: ordered by who took a lock first
};
inline constexpr std::size_t kGapCount = 9;

struct GapInfo {
  Gap gap;
  std::string_view id;
  std::string_view missing;
  std::string_view mpi_advice;
  std::string_view shmem_advice;
};

inline constexpr std::array<GapInfo, kGapCount> kGaps{{
    {Gap::kBuffer, "buffer",
     "the operation was not locally complete when its buffer was used again",
     "Complete the operation before the buffer is used: MPI_Win_flush_local, MPI_Wait on its "
     "request, or the call that ends the epoch.",
     "Complete the operation before the buffer is used: shmem_quiet, on its context."},
    {Gap::kNotCompleted, "not-completed",
     "the two ranks are synchronised, but the operation was not complete at the target by then",
     "Complete it before the synchronisation: MPI_Win_flush (or MPI_Win_unlock, MPI_Win_fence) "
     "between the operation and the barrier or message; MPI_Win_flush_local does not.",
     "Complete it before the synchronisation: shmem_quiet on its context, or shmem_barrier_all in "
     "the place of shmem_sync_all; before a flag to the same PE, shmem_fence is enough."},
    {Gap::kNotSynchronised, "not-synchronised",
     "the operation completes, but no synchronisation makes the other rank wait for it",
     "Synchronise the ranks after the completion: a barrier, a message, MPI_Win_fence, or an "
     "exclusive lock on both sides.",
     "Synchronise the PEs after the completion: shmem_barrier_all, a flag and shmem_wait_until, "
     "or "
     "a lock on both sides."},
    {Gap::kNeither, "neither", "nothing orders the two: neither a completion nor synchronisation",
     "Complete the operation (MPI_Win_flush, MPI_Win_unlock, MPI_Win_fence) and synchronise the "
     "ranks after it.",
     "Complete the operation and synchronise the PEs after it: shmem_barrier_all does both."},
    {Gap::kAtomicity, "atomicity",
     "both are atomic, but of different types, operations or elements, which do not exclude each "
     "other",
     "Use one predefined type and one operation (or MPI_NO_OP) on both sides, or order them.",
     "Use atomics of one type on both sides, or order them."},
    {Gap::kOtherAtomic, "other-atomic",
     "one is an atomic operation of the library, the other of the processor: they do not exclude "
     "each other",
     "Use the library's also for the own memory (MPI_Fetch_and_op or MPI_Accumulate, with the own "
     "rank as target), or order them.",
     "Use the library's also for the own memory (shmem_TYPE_atomic_..., with the own PE), or order "
     "them."},
    {Gap::kNotAtomic, "not-atomic", "one of the two is atomic, the other is a plain access",
     "Make both accumulate operations (MPI_Accumulate with MPI_REPLACE, MPI_Get_accumulate with "
     "MPI_NO_OP), or order them.",
     "Make both atomic (shmem_TYPE_atomic_set, shmem_TYPE_atomic_fetch), or order them."},
    {Gap::kPolling, "polling",
     "the value is polled with loads: in the unified memory model they see the old value or the "
     "new "
     "one, but nothing says when, and nothing is ordered by it",
     "Poll with MPI_Fetch_and_op and MPI_NO_OP and write with MPI_Accumulate and MPI_REPLACE, a "
     "flush after each; or receive a message.",
     "Wait with shmem_wait_until or shmem_test: a loop of loads may never see the value, and "
     "orders "
     "nothing."},
    {Gap::kLockOrder, "lock-order",
     "in this run a lock passed from the one rank to the other, which another run may do the other "
     "way round; they hold no lock in common that excludes the other",
     "Hold the same exclusive lock (MPI_Win_lock) around both, or synchronise the ranks by a "
     "barrier or a message.",
     "Hold the same lock (shmem_set_lock) around both, or synchronise the PEs by a barrier or a "
     "flag."},
}};

// Whose words advice is given in.
enum class Model : std::uint8_t { kMpi, kShmem };
inline constexpr std::size_t kModelCount = 2;

constexpr std::string_view advice(const GapInfo& gap, Model model) {
  return model == Model::kMpi ? gap.mpi_advice : gap.shmem_advice;
}

constexpr const GapInfo& info(Gap gap) {
  return kGaps[static_cast<std::size_t>(gap)];
}

inline Gap gap_of(const Race& race) {
  const Access& a = race.first;
  const Access& b = race.second;
  if (race.is_predicted) return Gap::kLockOrder;
  if (race.is_polling) return Gap::kPolling;
  const auto is_buffer = [](const Access& x) {
    return x.kind == AccessKind::kOriginRead || x.kind == AccessKind::kOriginWrite;
  };
  if (info(a.kind).is_atomic && info(b.kind).is_atomic) return Gap::kAtomicity;
  if ((info(a.kind).is_atomic && is_of_processor(b.kind)) ||
      (info(b.kind).is_atomic && is_of_processor(a.kind))) {
    return Gap::kOtherAtomic;
  }
  if (a.by.rank == b.by.rank && (is_buffer(a) || is_buffer(b))) return Gap::kBuffer;
  // It was synchronised with, only too early.
  if (!info(a.kind).is_local && knew_of(view(b), view(a))) return Gap::kNotCompleted;
  if (!info(b.kind).is_local && knew_of(view(a), view(b))) return Gap::kNotCompleted;
  if (info(a.kind).is_atomic || info(b.kind).is_atomic) return Gap::kNotAtomic;
  const bool all_complete = a.completed != kPending && b.completed != kPending;
  return all_complete ? Gap::kNotSynchronised : Gap::kNeither;
}

}  // namespace redflag::pgas
