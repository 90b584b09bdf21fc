#include "frontends/pgas/mpi/rma.h"

#include <mutex>

#include "frontends/pgas/mpi/epochs.h"
#include "frontends/pgas/mpi/misuse.h"

namespace redflag::pgas::mpi {
namespace {

constexpr std::size_t kMostBuffers = 3;  // of a compare-and-swap

}

std::uint16_t number_of(MPI_Op op) {
  static const std::array kOps{MPI_NO_OP, MPI_REPLACE, MPI_SUM,    MPI_PROD,  MPI_MIN,
                               MPI_MAX,   MPI_LAND,    MPI_BAND,   MPI_LOR,   MPI_BOR,
                               MPI_LXOR,  MPI_BXOR,    MPI_MINLOC, MPI_MAXLOC};
  for (std::size_t i = 0; i < kOps.size(); ++i) {
    if (kOps[i] == op) return static_cast<std::uint16_t>(i + 1);
  }
  return 0;
}

std::uint64_t issue(const LibraryCall& call, std::span<const Buffer> buffers, const Target& target,
                    MPI_Win handle, Ends ends) {
  State* const s = state();
  Win* const win = s == nullptr ? nullptr : s->win(handle);
  if (win == nullptr) {
    look_without_window(call, target);
    return 0;
  }
  if (target.rank == MPI_PROC_NULL) return 0;
  look(call, *s, *win, target);
  if (target.rank < 0 || static_cast<std::size_t>(target.rank) >= win->comm.ranks.size()) return 0;
  use(call, *s, *win, target.rank);
  // Their room is used again: an operation costs no allocation.
  thread_local std::array<std::vector<Piece>, kMostBuffers> pieces;
  thread_local std::vector<Piece> touched;
  std::array<OriginBuffer, kMostBuffers> origins;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    s->types.pieces(buffers[i].type, buffers[i].count, pieces[i]);
    origins[i] = {reinterpret_cast<std::uint64_t>(buffers[i].address), pieces[i],
                  buffers[i].is_written ? AccessKind::kOriginWrite : AccessKind::kOriginRead};
  }
  s->types.pieces(target.type, target.count, touched);
  TargetAccess access;
  access.rank = win->comm.ranks[static_cast<std::size_t>(target.rank)];
  access.window = access.group = win->number;
  access.displacement = target.displacement;
  access.pieces = touched;
  access.kind = target.kind;
  if (!win->known_there.empty()) {
    access.known_there = &win->known_there[static_cast<std::size_t>(target.rank)];
  }
  if (info(target.kind).is_atomic) {
    const TypeMap& type = s->types.of(target.type);
    access.atomicity = {type.basic, target.operation, type.basic_size, win->any_operation};
  }
  const bool reads_only = target.kind == AccessKind::kGet || target.kind == AccessKind::kFetch;
  return s->issue(call, std::span(origins).first(buffers.size()), &access, reads_only, ends);
}

void requested(MPI_Request request, std::uint64_t operation) {
  State* const s = state();
  if (s == nullptr || operation == 0 || request == MPI_REQUEST_NULL) return;
  const std::lock_guard guard(s->lock);
  Request made;
  made.operation = operation;
  s->requests[request] = made;
}

}  // namespace redflag::pgas::mpi
