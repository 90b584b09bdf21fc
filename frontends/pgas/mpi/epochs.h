// What the calls that begin and end epochs mean: completion, and order between ranks.
//
// MPI 3.1, chapter 11.5. A call that completes and orders does both in this order: whoever is behind
// it knows that the operations are complete. Completion is noted before the real call where others may
// be behind it while this rank is still in it.
#pragma once

#include "frontends/pgas/hold/holder.h"
#include "frontends/pgas/mpi/state.h"

namespace redflag::pgas::mpi {

// A window is used towards a target: under lock_all, its lock is only now looked at.
void use(const LibraryCall& call, State& s, Win& win, int target);

// Order among all ranks of a communicator, around `real`.
void enter_all(const LibraryCall& call, State& s, const Comm& comm, Bytes& mine);
void leave_all(const LibraryCall& call, State& s, const Comm& comm, const Bytes& mine);

template <typename Real>
int ordered(const LibraryCall& call, State& s, const Comm& comm, Real real) {
  Bytes mine;
  enter_all(call, s, comm, mine);
  const int result = real();
  leave_all(call, s, comm, mine);
  return result;
}

// Under 'redflag confirm', before the real call that completes operations of a window, towards a
// rank in it (nothing: all): they are held back, then done.
void hold_before(Completes how, std::optional<int> target, MPI_Win handle);
void hold_before_complete(MPI_Win handle);

void after_fence(int assertion, MPI_Win handle);
void after_first_fence(const LibraryCall& call, State& s, Win& win);

template <typename Real>
int win_fence(const LibraryCall& call, Real real, int assertion, MPI_Win handle) {
  State* const s = state();
  Win* const win = s == nullptr ? nullptr : s->win(handle);
  if (win == nullptr) return real();
  after_fence(assertion, handle);
  if ((assertion & MPI_MODE_NOPRECEDE) != 0) {
    const int result = real();
    after_first_fence(call, *s, *win);
    return result;
  }
  win->known_there.clear();
  hold_before(Completes::kRemotely, {}, handle);
  s->job.complete(call, Completes::kRemotely, win->number, {});
  return ordered(call, *s, win->comm, real);
}

void before_post(const LibraryCall& call, MPI_Group group, MPI_Win handle);
void after_start(const LibraryCall& call, MPI_Group group, MPI_Win handle);
void before_complete(const LibraryCall& call, MPI_Win handle);
void after_wait(const LibraryCall& call, MPI_Win handle);

template <typename Real>
int win_post(const LibraryCall& call, Real real, MPI_Group group, MPI_Win win) {
  before_post(call, group, win);
  return real();
}
template <typename Real>
int win_start(const LibraryCall& call, Real real, MPI_Group group, MPI_Win win) {
  const int result = real();
  after_start(call, group, win);
  return result;
}
template <typename Real>
int win_complete(const LibraryCall& call, Real real, MPI_Win win) {
  hold_before_complete(win);
  before_complete(call, win);
  return real();
}
template <typename Real>
int win_wait(const LibraryCall& call, Real real, MPI_Win win) {
  const int result = real();
  after_wait(call, win);
  return result;
}
template <typename Real>
int win_test(const LibraryCall& call, Real real, MPI_Win win, const int* flag) {
  const int result = real();
  if (*flag != 0) after_wait(call, win);
  return result;
}

bool before_lock(bool exclusive, int target, int assertion, MPI_Win win);
void after_lock(const LibraryCall& call, bool exclusive, int target, MPI_Win win);
void before_unlock(const LibraryCall& call, int target, MPI_Win win);
void after_unlock(int target, MPI_Win win);
void after_lock_all(const LibraryCall& call, int assertion, MPI_Win win);
void before_unlock_all(const LibraryCall& call, MPI_Win win);
void after_flush(const LibraryCall& call, Completes how, std::optional<int> target, MPI_Win win);

template <typename Real>
int win_lock(const LibraryCall& call, Real real, int type, int target, int assertion, MPI_Win win) {
  const bool exclusive = type == MPI_LOCK_EXCLUSIVE;
  const bool follows = before_lock(exclusive, target, assertion, win);
  const int result = real();
  if (follows) after_lock(call, exclusive, target, win);
  return result;
}
template <typename Real>
int win_unlock(const LibraryCall& call, Real real, int target, MPI_Win win) {
  hold_before(Completes::kRemotely, target, win);
  before_unlock(call, target, win);
  const int result = real();
  after_unlock(target, win);
  return result;
}
template <typename Real>
int win_lock_all(const LibraryCall& call, Real real, int assertion, MPI_Win win) {
  const int result = real();
  after_lock_all(call, assertion, win);
  return result;
}
template <typename Real>
int win_unlock_all(const LibraryCall& call, Real real, MPI_Win win) {
  hold_before(Completes::kRemotely, {}, win);
  before_unlock_all(call, win);
  return real();
}
template <typename Real>
int win_flush(const LibraryCall& call, Real real, int target, MPI_Win win) {
  hold_before(Completes::kRemotely, target, win);
  const int result = real();
  after_flush(call, Completes::kRemotely, target, win);
  return result;
}
template <typename Real>
int win_flush_all(const LibraryCall& call, Real real, MPI_Win win) {
  hold_before(Completes::kRemotely, {}, win);
  const int result = real();
  after_flush(call, Completes::kRemotely, {}, win);
  return result;
}
template <typename Real>
int win_flush_local(const LibraryCall& call, Real real, int target, MPI_Win win) {
  hold_before(Completes::kLocally, target, win);
  const int result = real();
  after_flush(call, Completes::kLocally, target, win);
  return result;
}
template <typename Real>
int win_flush_local_all(const LibraryCall& call, Real real, MPI_Win win) {
  hold_before(Completes::kLocally, {}, win);
  const int result = real();
  after_flush(call, Completes::kLocally, {}, win);
  return result;
}

}  // namespace redflag::pgas::mpi
