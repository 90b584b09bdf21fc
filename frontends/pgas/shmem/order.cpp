#include "frontends/pgas/shmem/order.h"

#include <mutex>
#include <set>

#include "frontends/pgas/exchange/shared_atomics.h"

namespace redflag::pgas::shmem {
namespace {

RankLock lock_at(const State& s, const volatile void* lock) {
  const std::optional<Place> at = s.place(const_cast<const void*>(lock));
  return at ? RankLock{at->object, at->offset, 0, 1} : RankLock{0, 0, 0, 1};
}

// The rank whose slot a lock has: locks that share one order more than they should.
int slot_of(const State& s, const RankLock& lock) {
  return static_cast<int>((lock.object * 31 + lock.offset / sizeof(long)) % s.transport.size());
}

}  // namespace

ActiveSet all_pes() {
  return {0, 0, static_cast<int>(state()->transport.size())};
}

void hold_before_quiet(Context context) {
  hold::Holder* const holding = hold::holder();
  if (holding == nullptr || state() == nullptr) return;
  holding->complete(Completes::kRemotely, state()->group(context), {});
}

void quiet_now(const LibraryCall& call, Context context) {
  State* const s = state();
  if (s == nullptr) return;
  hold_before_quiet(context);
  s->drain();
  s->job.complete(call, Completes::kRemotely, s->group(context), {});
}

void fence_now(const LibraryCall& call, Context context) {
  State* const s = state();
  if (s != nullptr) s->job.fence(call, s->group(context));
}

Bytes enter(const LibraryCall& call, const ActiveSet& set) {
  State& s = *state();
  if (!s.is_all(set)) return mpi::bytes_of(*s.job.release(call));
  s.job.barrier_enter(call);
  return {};
}

void leave(const LibraryCall& call, const ActiveSet& set, const Bytes& mine) {
  State& s = *state();
  s.drain();
  if (s.is_all(set)) return s.job.barrier_leave(call);
  Knowledge known;
  for (const Bytes& each : mpi::all_gather(s.comm(set), mine)) {
    known.join(mpi::knowledge_of(each));
  }
  s.job.acquire(call, known);
}

void from_root(const LibraryCall& call, int root, const ActiveSet& set) {
  State* const s = state();
  if (s == nullptr) return;
  const MPI_Comm comm = s->comm(set);
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  if (rank == root) {
    (void)mpi::broadcast(comm, root, mpi::bytes_of(*s->job.release(call)));
  } else {
    s->job.acquire(call, mpi::knowledge_of(mpi::broadcast(comm, root, {})));
  }
}

void hold_before_lock() {
  if (hold::Holder* const holding = hold::holder()) holding->board().let_others_lock();
}

void locked(const LibraryCall& call, const volatile void* lock) {
  State* const s = state();
  if (s == nullptr) return;
  const RankLock taken = lock_at(*s, lock);
  s->job.locked(call, taken, s->locks.learn(slot_of(*s, taken), true));
}

// Joined with what is there: other locks may have the same slot.
void before_unlock(const LibraryCall& call, const volatile void* lock) {
  State* const s = state();
  if (s == nullptr) return;
  const RankLock held = lock_at(*s, lock);
  s->locks.leave(slot_of(*s, held), false, *s->job.release(call));
  s->job.unlocked(call, held);
}

void reached(const LibraryCall& call, const void* here, const void* symmetric, int pe) {
  State* const s = state();
  const std::optional<Place> place = s == nullptr ? std::nullopt : s->place(symmetric);
  const Window* const object = place ? s->job.window(place->object) : nullptr;
  if (object == nullptr || static_cast<std::uint32_t>(pe) == s->transport.rank()) return;
  // Each once: numbers of objects are not used again.
  static CallLock lock;
  static std::set<std::pair<std::uint64_t, int>> known;
  {
    const std::lock_guard guard(lock);
    if (!known.emplace(place->object, pe).second) return;
  }
  const Segment there{place->object, static_cast<std::uint32_t>(pe),
                      reinterpret_cast<std::uint64_t>(here) - place->offset, object->size, 0};
  mpi::share(s->job, there, s->clocks);
  s->job.attached(call, there);
}

}  // namespace redflag::pgas::shmem
