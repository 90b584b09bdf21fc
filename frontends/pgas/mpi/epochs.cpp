#include "frontends/pgas/mpi/epochs.h"

#include "frontends/pgas/mpi/misuse.h"

namespace redflag::pgas::mpi {
namespace {

// Tags of clocks on a window's own communicator.
constexpr int kPosted = 1;
constexpr int kCompleted = 2;

Win* win_of(MPI_Win handle) {
  State* const s = state();
  return s == nullptr ? nullptr : s->win(handle);
}

// Ranks in the window of a group's members.
std::vector<int> members(const Win& win, MPI_Group group) {
  MPI_Group all = MPI_GROUP_NULL;
  PMPI_Comm_group(win.comm.shadow, &all);
  int size = 0;
  PMPI_Group_size(group, &size);
  std::vector<int> from(static_cast<std::size_t>(size));
  for (int i = 0; i < size; ++i) from[static_cast<std::size_t>(i)] = i;
  std::vector<int> to(from.size());
  PMPI_Group_translate_ranks(group, size, from.data(), all, to.data());
  PMPI_Group_free(&all);
  return to;
}

std::uint32_t job_rank(const Win& win, int target) {
  return win.comm.ranks[static_cast<std::size_t>(target)];
}

RankLock lock_of(const Win& win, int target, bool exclusive) {
  return {win.number, 0, job_rank(win, target), exclusive ? 1U : 0U};
}
RankLock lock_of_all(const Win& win) {
  return {win.number, 0, kEveryRank, 0};
}

}  // namespace

void enter_all(const LibraryCall& call, State& s, const Comm& comm, Bytes& mine) {
  if (comm.is_all) {
    s.job.barrier_enter(call);
  } else {
    mine = bytes_of(*s.job.release(call));
  }
}

void leave_all(const LibraryCall& call, State& s, const Comm& comm, const Bytes& mine) {
  if (comm.is_all) return s.job.barrier_leave(call);
  Knowledge known;
  for (const Bytes& each : all_gather(comm.shadow, mine)) known.join(knowledge_of(each));
  s.job.acquire(call, known);
}

void hold_before(Completes how, std::optional<int> target, MPI_Win handle) {
  hold::Holder* const holding = hold::holder();
  const Win* const win = holding == nullptr ? nullptr : win_of(handle);
  if (win == nullptr || target == MPI_PROC_NULL) return;
  std::optional<std::uint32_t> rank;
  if (target) rank = job_rank(*win, *target);
  holding->complete(how, win->number, rank);
}

void hold_before_complete(MPI_Win handle) {
  const Win* const win = hold::holder() == nullptr ? nullptr : win_of(handle);
  if (win == nullptr) return;
  for (const int each : win->started) hold_before(Completes::kRemotely, each, handle);
}

void after_first_fence(const LibraryCall& call, State& s, Win& win) {
  win.known_there.clear();
  for (const Bytes& each : all_gather(win.comm.shadow, bytes_of(*s.job.release(call)))) {
    win.known_there.push_back(knowledge_of(each));
  }
}

void before_post(const LibraryCall& call, MPI_Group group, MPI_Win handle) {
  Win* const win = win_of(handle);
  if (win == nullptr) return;
  win->posted = members(*win, group);
  const auto known = state()->job.release(call);
  for (const int each : win->posted) state()->send(win->comm, each, kPosted, *known);
}

void after_start(const LibraryCall& call, MPI_Group group, MPI_Win handle) {
  Win* const win = win_of(handle);
  if (win == nullptr) return;
  win->started = members(*win, group);
  for (const int each : win->started) {
    state()->job.acquire(call, state()->receive(win->comm, each, kPosted).known);
  }
}

void before_complete(const LibraryCall& call, MPI_Win handle) {
  Win* const win = win_of(handle);
  if (win == nullptr) return;
  for (const int each : win->started) {
    state()->job.complete(call, Completes::kRemotely, win->number, job_rank(*win, each));
  }
  const auto known = state()->job.release(call);
  for (const int each : win->started) state()->send(win->comm, each, kCompleted, *known);
  win->started.clear();
}

void after_wait(const LibraryCall& call, MPI_Win handle) {
  Win* const win = win_of(handle);
  if (win == nullptr) return;
  for (const int each : win->posted) {
    state()->job.acquire(call, state()->receive(win->comm, each, kCompleted).known);
  }
  win->posted.clear();
}

void after_fence(int assertion, MPI_Win handle) {
  if (const Win* const win = win_of(handle)) fence_passed(*win, assertion);
}

bool before_lock(bool exclusive, int target, int assertion, MPI_Win handle) {
  Win* const win = win_of(handle);
  if (win != nullptr) target_locked(*win, target);
  if (win == nullptr || target == MPI_PROC_NULL || (assertion & MPI_MODE_NOCHECK) != 0)
    return false;
  if (hold::Holder* const holding = hold::holder()) holding->board().let_others_lock();
  win->locks->take(target, exclusive);
  return true;
}

void after_lock(const LibraryCall& call, bool exclusive, int target, MPI_Win handle) {
  const Win& win = *win_of(handle);
  state()->job.locked(call, lock_of(win, target, exclusive), win.locks->learn(target, exclusive));
}

void before_unlock(const LibraryCall& call, int target, MPI_Win handle) {
  Win* const win = win_of(handle);
  if (win == nullptr || target == MPI_PROC_NULL) return;
  state()->job.complete(call, Completes::kRemotely, win->number, job_rank(*win, target));
  if (!win->locks->holds(target)) return;
  const bool exclusive = win->locks->is_exclusive(target);
  win->locks->leave(target, exclusive, *state()->job.release(call));
  state()->job.unlocked(call, lock_of(*win, target, exclusive));
}

void after_unlock(int target, MPI_Win handle) {
  Win* const win = win_of(handle);
  if (win != nullptr) target_unlocked(*win, target);
  if (win != nullptr && win->locks->holds(target)) win->locks->give_up(target);
}

void after_lock_all(const LibraryCall& call, int assertion, MPI_Win handle) {
  Win* const win = win_of(handle);
  if (win != nullptr) all_locked(*win);
  if (win == nullptr || (assertion & MPI_MODE_NOCHECK) != 0) return;
  win->locks->holds_all = true;
  state()->job.locked(call, lock_of_all(*win), {});
  int self = 0;
  PMPI_Comm_rank(win->comm.shadow, &self);
  use(call, *state(), *win, self);
}

void use(const LibraryCall& call, State& s, Win& win, int target) {
  if (!win.locks->holds_all || !win.locks->is_first_use(target)) return;
  s.job.acquire_by_lock(call, win.locks->learn(target, false));
}

void before_unlock_all(const LibraryCall& call, MPI_Win handle) {
  Win* const win = win_of(handle);
  if (win == nullptr) return;
  all_unlocked(*win);
  state()->job.complete(call, Completes::kRemotely, win->number, {});
  if (!win->locks->holds_all) return;
  const auto known = state()->job.release(call);
  for (const int target : win->locks->used) win->locks->leave(target, false, *known);
  state()->job.unlocked(call, lock_of_all(*win));
  win->locks->forget_used();
  win->locks->holds_all = false;
}

void after_flush(const LibraryCall& call, Completes how, std::optional<int> target,
                 MPI_Win handle) {
  Win* const win = win_of(handle);
  if (win == nullptr || target == MPI_PROC_NULL) return;
  std::optional<std::uint32_t> rank;
  if (target) rank = job_rank(*win, *target);
  state()->job.complete(call, how, win->number, rank);
}

}  // namespace redflag::pgas::mpi
