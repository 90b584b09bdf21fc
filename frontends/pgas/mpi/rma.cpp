#include "frontends/pgas/mpi/rma.h"

#include <mutex>
#include <optional>

#include "frontends/pgas/mpi/epochs.h"
#include "frontends/pgas/mpi/misuse.h"
#include "frontends/pgas/track/counts.h"

namespace redflag::pgas::mpi {
namespace {

constexpr std::size_t kMostBuffers = 3;  // of a compare-and-swap

// An operation of late, with one buffer. The next one of the same statement to the same target mostly differs
// in addresses only: until another call is made, what was found out of the one holds for the other. Only
// where calls come one at a time.
struct Repeated {
  std::uint64_t calls = 0;  // others, before it; 0: none is here
  const void* caller = nullptr;
  MPI_Win win = MPI_WIN_NULL;
  Target target;
  Buffer buffer;
  Ends ends = Ends::kTogether;
  Displacements displacements;
  Piece here;   // of the buffer
  Piece there;  // of the target
  OriginBuffer origin;
  TargetAccess access;
  bool reads_only = false;
  bool is_remote = false;

  bool is(const void* from, const Buffer& b, const Target& t, MPI_Win w, Ends e) const {
    return caller == from && win == w && target.rank == t.rank && target.type == t.type &&
           target.count == t.count && target.kind == t.kind && target.operation == t.operation &&
           buffer.type == b.type && buffer.count == b.count && buffer.is_written == b.is_written &&
           ends == e && t.displacement >= displacements.first &&
           t.displacement <= displacements.last;
  }
};

std::uint64_t g_other_calls = 1;
std::array<Repeated, 64> g_repeated;

Repeated& repeated_at(const void* caller, int rank) {
  return g_repeated[(reinterpret_cast<std::uint64_t>(caller) / 4 * 5 +
                     static_cast<std::uint64_t>(rank)) %
                    g_repeated.size()];
}

}  // namespace

// Plain, as what it guards is used only where calls come one at a time.
void other_call() {
  if (CallLock::is_one_at_a_time()) ++g_other_calls;
  g_calls_that_order.fetch_add(1, std::memory_order_relaxed);
}

std::uint16_t number_of(MPI_Op op) {
  static const std::array kOps{MPI_NO_OP, MPI_REPLACE, MPI_SUM,    MPI_PROD,  MPI_MIN,
                               MPI_MAX,   MPI_LAND,    MPI_BAND,   MPI_LOR,   MPI_BOR,
                               MPI_LXOR,  MPI_BXOR,    MPI_MINLOC, MPI_MAXLOC};
  thread_local std::size_t last = 0;
  if (kOps[last] == op) return static_cast<std::uint16_t>(last + 1);
  for (std::size_t i = 0; i < kOps.size(); ++i) {
    if (kOps[i] != op) continue;
    last = i;
    return static_cast<std::uint16_t>(i + 1);
  }
  return 0;
}

std::uint64_t issue(const LibraryCall& call, std::span<const Buffer> buffers, const Target& target,
                    MPI_Win handle, Ends ends) {
  State* const s = state();
  if (s == nullptr) {
    look_without_window(call, target);
    return 0;
  }
  if (target.rank == MPI_PROC_NULL) return 0;
  const bool may_repeat = CallLock::is_one_at_a_time() && buffers.size() == 1;
  if (may_repeat) {
    Repeated& again = repeated_at(call.caller, target.rank);
    if (again.calls == g_other_calls && again.is(call.caller, buffers[0], target, handle, ends)) {
      count(counts().operations);
      if (again.is_remote) count(counts().remote);
      again.origin.address = reinterpret_cast<std::uint64_t>(buffers[0].address);
      again.access.displacement = target.displacement;
      return s->issue(call, std::span(&again.origin, 1), &again.access, again.reads_only, ends);
    }
  }
  Win* const win = s->win(handle);
  if (win == nullptr) {
    look_without_window(call, target);
    return 0;
  }
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
  const std::optional<Displacements> displacements =
      may_repeat && pieces[0].size() == 1 && touched.size() == 1 && access.known_there == nullptr
          ? within(*s, *win, target)
          : std::nullopt;
  if (displacements) {
    Repeated& made = repeated_at(call.caller, target.rank);
    made = {.calls = g_other_calls,
            .caller = call.caller,
            .win = handle,
            .target = target,
            .buffer = buffers[0],
            .ends = ends,
            .displacements = *displacements,
            .here = pieces[0][0],
            .there = touched[0],
            .origin = origins[0],
            .access = access,
            .reads_only = reads_only,
            .is_remote = access.rank != s->transport.rank()};
    made.origin.pieces = std::span(&made.here, 1);
    made.access.pieces = std::span(&made.there, 1);
  }
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
