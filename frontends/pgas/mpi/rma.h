// What one-sided calls mean: an access to the target's memory, and accesses to buffers of the origin.
//
// MPI 3.1, chapter 11.3. Each wrapper tells of the operation and then calls the real function: the
// operation is under way from its call on.
#pragma once

#include <array>

#include "frontends/pgas/hold/deferrable.h"
#include "frontends/pgas/mpi/state.h"

namespace redflag::pgas::mpi {

// Numbers of operations for accumulates: MPI's predefined ones by handle, and those without a handle.
std::uint16_t number_of(MPI_Op op);
inline constexpr std::uint16_t kCompareAndSwap = 0xffff;

struct Buffer {
  const void* address = nullptr;
  int count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  bool is_written = false;
};

struct Target {
  int rank = MPI_PROC_NULL;
  MPI_Aint displacement = 0;
  int count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  AccessKind kind = AccessKind::kPut;
  std::uint16_t operation = 0;  // of accumulates
};

// The operation's number, if it ends alone; 0: nothing is to be followed.
std::uint64_t issue(const LibraryCall& call, std::span<const Buffer> buffers, const Target& target,
                    MPI_Win win, Ends ends = Ends::kTogether);
// Any other call than that of an operation may change what is known of operations.
void other_call();
// It is completed by waiting for its request.
void requested(MPI_Request request, std::uint64_t operation);

template <typename Real>
int put(const LibraryCall& call, Real real, const void* origin, int count, MPI_Datatype type,
        int target, MPI_Aint displacement, int target_count, MPI_Datatype target_type,
        MPI_Win win) {
  const std::array buffers{Buffer{origin, count, type, false}};
  const std::uint64_t operation = issue(
      call, buffers, {target, displacement, target_count, target_type, AccessKind::kPut, 0}, win);
  return hold::now_or_later(operation, real, false);
}

template <typename Real>
int get(const LibraryCall& call, Real real, void* origin, int count, MPI_Datatype type, int target,
        MPI_Aint displacement, int target_count, MPI_Datatype target_type, MPI_Win win) {
  const std::array buffers{Buffer{origin, count, type, true}};
  const std::uint64_t operation = issue(
      call, buffers, {target, displacement, target_count, target_type, AccessKind::kGet, 0}, win);
  return hold::now_or_later(operation, real, false);
}

template <typename Real>
int accumulate(const LibraryCall& call, Real real, const void* origin, int count, MPI_Datatype type,
               int target, MPI_Aint displacement, int target_count, MPI_Datatype target_type,
               MPI_Op op, MPI_Win win) {
  const std::array buffers{Buffer{origin, count, type, false}};
  const std::uint64_t operation = issue(
      call, buffers,
      {target, displacement, target_count, target_type, AccessKind::kAccumulate, number_of(op)},
      win);
  return hold::now_or_later(operation, real, true);
}

inline std::uint64_t issue_fetch(const LibraryCall& call, const Buffer& origin, Buffer result,
                                 Target target, MPI_Op op, MPI_Win win,
                                 Ends ends = Ends::kTogether) {
  result.is_written = true;
  target.operation = number_of(op);
  if (op == MPI_NO_OP) {  // the origin's buffer means nothing then
    target.kind = AccessKind::kFetch;
    return issue(call, std::array{result}, target, win, ends);
  }
  target.kind = AccessKind::kAccumulate;
  return issue(call, std::array{origin, result}, target, win, ends);
}

template <typename Real>
int get_accumulate(const LibraryCall& call, Real real, const void* origin, int count,
                   MPI_Datatype type, void* result, int result_count, MPI_Datatype result_type,
                   int target, MPI_Aint displacement, int target_count, MPI_Datatype target_type,
                   MPI_Op op, MPI_Win win) {
  const std::uint64_t operation =
      issue_fetch(call, {origin, count, type}, {result, result_count, result_type},
                  {target, displacement, target_count, target_type}, op, win);
  return hold::now_or_later(operation, real, true);
}

template <typename Real>
int fetch_and_op(const LibraryCall& call, Real real, const void* origin, void* result,
                 MPI_Datatype type, int target, MPI_Aint displacement, MPI_Op op, MPI_Win win) {
  const std::uint64_t operation = issue_fetch(call, {origin, 1, type}, {result, 1, type},
                                              {target, displacement, 1, type}, op, win);
  return hold::now_or_later(operation, real, true);
}

template <typename Real>
int compare_and_swap(const LibraryCall& call, Real real, const void* origin, const void* compare,
                     void* result, MPI_Datatype type, int target, MPI_Aint displacement,
                     MPI_Win win) {
  const std::array buffers{Buffer{origin, 1, type, false}, Buffer{compare, 1, type, false},
                           Buffer{result, 1, type, true}};
  const std::uint64_t operation =
      issue(call, buffers,
            {target, displacement, 1, type, AccessKind::kAccumulate, kCompareAndSwap}, win);
  return hold::now_or_later(operation, real, true);
}

// The forms with a request: completed by waiting for it.
template <typename Real>
int rput(const LibraryCall& call, Real real, const void* origin, int count, MPI_Datatype type,
         int target, MPI_Aint displacement, int target_count, MPI_Datatype target_type, MPI_Win win,
         MPI_Request* request) {
  const std::array buffers{Buffer{origin, count, type, false}};
  const std::uint64_t operation =
      issue(call, buffers, {target, displacement, target_count, target_type, AccessKind::kPut, 0},
            win, Ends::kAlone);
  const int result = real();
  requested(*request, operation);
  return result;
}

template <typename Real>
int rget(const LibraryCall& call, Real real, void* origin, int count, MPI_Datatype type, int target,
         MPI_Aint displacement, int target_count, MPI_Datatype target_type, MPI_Win win,
         MPI_Request* request) {
  const std::array buffers{Buffer{origin, count, type, true}};
  const std::uint64_t operation =
      issue(call, buffers, {target, displacement, target_count, target_type, AccessKind::kGet, 0},
            win, Ends::kAlone);
  const int result = real();
  requested(*request, operation);
  return result;
}

template <typename Real>
int raccumulate(const LibraryCall& call, Real real, const void* origin, int count,
                MPI_Datatype type, int target, MPI_Aint displacement, int target_count,
                MPI_Datatype target_type, MPI_Op op, MPI_Win win, MPI_Request* request) {
  const std::array buffers{Buffer{origin, count, type, false}};
  const std::uint64_t operation = issue(
      call, buffers,
      {target, displacement, target_count, target_type, AccessKind::kAccumulate, number_of(op)},
      win, Ends::kAlone);
  const int result = real();
  requested(*request, operation);
  return result;
}

template <typename Real>
int rget_accumulate(const LibraryCall& call, Real real, const void* origin, int count,
                    MPI_Datatype type, void* result_address, int result_count,
                    MPI_Datatype result_type, int target, MPI_Aint displacement, int target_count,
                    MPI_Datatype target_type, MPI_Op op, MPI_Win win, MPI_Request* request) {
  const std::uint64_t operation =
      issue_fetch(call, {origin, count, type}, {result_address, result_count, result_type},
                  {target, displacement, target_count, target_type}, op, win, Ends::kAlone);
  const int result = real();
  requested(*request, operation);
  return result;
}

}  // namespace redflag::pgas::mpi
