// Windows that come and go, and communicators: what they mean, and what of ours goes with them.
#pragma once

#include "frontends/pgas/mpi/epochs.h"

namespace redflag::pgas::mpi {

// Behind the real call; collective over the communicator.
void window_made(const LibraryCall& call, MPI_Win handle, MPI_Comm comm, void* base, MPI_Aint size,
                 int unit, MPI_Info info);
void before_free(const LibraryCall& call, MPI_Win handle);

template <typename Real>
int win_create(const LibraryCall& call, Real real, void* base, MPI_Aint size, int unit,
               MPI_Info info, MPI_Comm comm, MPI_Win* win) {
  const int result = real();
  if (result == MPI_SUCCESS) window_made(call, *win, comm, base, size, unit, info);
  return result;
}
template <typename Real>
int win_allocate(const LibraryCall& call, Real real, MPI_Aint size, int unit, MPI_Info info,
                 MPI_Comm comm, void* base, MPI_Win* win) {
  const int result = real();
  if (result == MPI_SUCCESS) {
    window_made(call, *win, comm, *static_cast<void**>(base), size, unit, info);
  }
  return result;
}
template <typename Real>
int win_create_dynamic(const LibraryCall& call, Real real, MPI_Info info, MPI_Comm comm,
                       MPI_Win* win) {
  const int result = real();
  if (result == MPI_SUCCESS) window_made(call, *win, comm, nullptr, 0, 1, info);
  return result;
}
template <typename Real>
int win_free(const LibraryCall& call, Real real, MPI_Win* win) {
  State* const s = state();
  if (s == nullptr || s->win(*win) == nullptr) return real();
  before_free(call, *win);
  return real();
}

void attached(const LibraryCall& call, MPI_Win win, void* base, MPI_Aint size);
void detached(const LibraryCall& call, MPI_Win win, const void* base);

template <typename Real>
int win_attach(const LibraryCall& call, Real real, MPI_Win win, void* base, MPI_Aint size) {
  const int result = real();
  attached(call, win, base, size);
  return result;
}
template <typename Real>
int win_detach(const LibraryCall& call, Real real, MPI_Win win, const void* base) {
  detached(call, win, base);
  return real();
}

// Calls that make a communicator of another, all of whose ranks take part.
template <typename Real>
int makes_comm(const LibraryCall& call, Real real, MPI_Comm comm, MPI_Comm* made) {
  State* const s = state();
  if (s == nullptr) return real();
  const Comm* const over = s->comm(comm);
  const int result = over == nullptr ? real() : ordered(call, *s, *over, real);
  if (result == MPI_SUCCESS) s->comm_made(*made);
  return result;
}
// Of which only those take part that will be in it.
template <typename Real>
int makes_comm_of_group(const LibraryCall&, Real real, MPI_Comm* made) {
  const int result = real();
  if (state() != nullptr && result == MPI_SUCCESS) state()->comm_made(*made);
  return result;
}
// Made by the time that its request is complete: then it is duplicated for our own use, by all its ranks.
template <typename Real>
int comm_idup(const LibraryCall&, Real real, MPI_Comm* made, const MPI_Request* request) {
  const int result = real();
  if (state() == nullptr || result != MPI_SUCCESS) return result;
  Request pending;
  pending.kind = Request::Kind::kComm;
  pending.buffer = made;
  const std::lock_guard guard(state()->lock);
  state()->requests[*request] = pending;
  return result;
}
template <typename Real>
int comm_free(const LibraryCall&, Real real, const MPI_Comm* comm) {
  if (state() != nullptr) state()->comm_freed(*comm);
  return real();
}
template <typename Real>
int type_free(const LibraryCall&, Real real, const MPI_Datatype* type) {
  if (state() != nullptr) state()->types.freed(*type);
  return real();
}

template <typename Real>
int init(const LibraryCall&, Real real) {
  const int result = real();
  if (result == MPI_SUCCESS) start();
  return result;
}
template <typename Real>
int finalize(const LibraryCall& call, Real real) {
  finish(call);
  return real();
}

}  // namespace redflag::pgas::mpi
