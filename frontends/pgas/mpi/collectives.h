// Collective communication as order: who cannot leave before whom has come.
//
// By what the data says, not by what a library may do besides: a broadcast orders its root before all,
// a reduction all before its root, a barrier and whatever gives everybody everybody's data each before
// each. (MPI 3.1, chapter 5; its section 5.14 warns not to rely on more.)
#pragma once

#include <initializer_list>

#include "frontends/pgas/mpi/epochs.h"

namespace redflag::pgas::mpi {

// Buffers of a collective, at those ranks that they mean something at.
enum class Where : std::uint8_t { kAll, kRoot, kOthers };
struct CollectiveBuffer {
  const void* address;
  int count;
  MPI_Datatype type;
  bool is_written;
  bool for_each_rank;
  Where where;
};
void use_buffers(const LibraryCall& call, MPI_Comm comm, int root,
                 std::initializer_list<CollectiveBuffer> buffers);
// The same of a nonblocking one: under way until its request is complete.
std::uint64_t begin_buffers(const LibraryCall& call, MPI_Comm comm, int root,
                            std::initializer_list<CollectiveBuffer> buffers);
void attach_buffers(const MPI_Request* request, std::uint64_t operation);

void learn_from_root(const LibraryCall& call, int root, MPI_Comm comm);
void tell_root(const LibraryCall& call, int root, MPI_Comm comm);
void learn_from_those_before(const LibraryCall& call, MPI_Comm comm);

template <typename Real>
int all(const LibraryCall& call, Real real, MPI_Comm comm) {
  State* const s = state();
  const Comm* const over = s == nullptr ? nullptr : s->comm(comm);
  if (over == nullptr) return real();
  return ordered(call, *s, *over, real);
}
// The clocks go behind the data.
template <typename Real>
int from_root(const LibraryCall& call, Real real, int root, MPI_Comm comm) {
  const int result = real();
  learn_from_root(call, root, comm);
  return result;
}
template <typename Real>
int to_root(const LibraryCall& call, Real real, int root, MPI_Comm comm) {
  const int result = real();
  tell_root(call, root, comm);
  return result;
}
template <typename Real>
int prefix(const LibraryCall& call, Real real, MPI_Comm comm) {
  const int result = real();
  learn_from_those_before(call, comm);
  return result;
}

void between_neighbours(const LibraryCall& call, MPI_Comm comm);
template <typename Real>
int neighbours(const LibraryCall& call, Real real, MPI_Comm comm) {
  const int result = real();
  between_neighbours(call, comm);
  return result;
}

enum class Whose : std::uint8_t { kAll, kRoot, kForRoot, kThoseBefore };
void begins(const LibraryCall& call, Whose whose, int root, MPI_Comm comm, MPI_Request request,
            Request made);
Request clocks_of(const LibraryCall& call, MPI_Comm comm);
void collective_completed(const LibraryCall& call, State& s, Request& done);

// Nonblocking: what everybody knew at its call is known behind the wait.
template <typename Real>
int i_all(const LibraryCall& call, Real real, MPI_Comm comm, const MPI_Request* request) {
  Request made = clocks_of(call, comm);
  const int result = real();
  begins(call, Whose::kAll, -1, comm, *request, std::move(made));
  return result;
}
template <typename Real>
int i_prefix(const LibraryCall& call, Real real, MPI_Comm comm, const MPI_Request* request) {
  Request made = clocks_of(call, comm);
  const int result = real();
  begins(call, Whose::kThoseBefore, -1, comm, *request, std::move(made));
  return result;
}
template <typename Real>
int i_from_root(const LibraryCall& call, Real real, int root, MPI_Comm comm,
                const MPI_Request* request) {
  Request made = clocks_of(call, comm);
  const int result = real();
  begins(call, Whose::kRoot, root, comm, *request, std::move(made));
  return result;
}
template <typename Real>
int i_to_root(const LibraryCall& call, Real real, int root, MPI_Comm comm,
              const MPI_Request* request) {
  Request made = clocks_of(call, comm);
  const int result = real();
  begins(call, Whose::kForRoot, root, comm, *request, std::move(made));
  return result;
}

}  // namespace redflag::pgas::mpi
