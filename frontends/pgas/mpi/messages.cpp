#include "frontends/pgas/mpi/messages.h"

#include "frontends/pgas/mpi/collectives.h"

namespace redflag::pgas::mpi {

void touch(const LibraryCall& call, const void* buffer, int count, MPI_Datatype type, bool write) {
  State* const s = state();
  if (s == nullptr || call.thread == nullptr || buffer == MPI_IN_PLACE || count <= 0) return;
  for (const Piece& piece : s->types.pieces(type, count)) {
    const std::uint64_t at = reinterpret_cast<std::uint64_t>(buffer) + piece.offset;
    if (write) {
      s->job.runtime()->write(call.thread, reinterpret_cast<void*>(at), piece.size);
    } else {
      s->job.runtime()->read(call.thread, reinterpret_cast<const void*>(at), piece.size);
    }
  }
}

int received_count(const MPI_Status& status, int count, MPI_Datatype type) {
  int came = MPI_UNDEFINED;
  PMPI_Get_count(&status, type, &came);
  return came == MPI_UNDEFINED ? count : came;
}

std::uint64_t sends(const LibraryCall& call, MPI_Comm comm, int to, int tag, bool is_synchronous) {
  State* const s = state();
  const Comm* const over = s == nullptr ? nullptr : s->comm(comm);
  if (over == nullptr || to == MPI_PROC_NULL) return 0;
  const std::uint64_t reply = is_synchronous ? s->next_reply() : 0;
  s->send(*over, to, tag, *s->job.release(call), reply);
  return reply;
}

void answered(const LibraryCall& call, std::uint64_t reply) {
  if (state() != nullptr && reply != 0) state()->job.acquire(call, state()->answered(reply));
}

std::uint64_t will_receive(MPI_Comm comm, int from, int tag) {
  return state() == nullptr || from == MPI_PROC_NULL ? 0 : state()->posted(comm, from, tag);
}

void receives(const LibraryCall& call, MPI_Comm comm, const MPI_Status& status,
              std::uint64_t sequence, const Knowledge* at_post) {
  State* const s = state();
  if (s == nullptr || status.MPI_SOURCE == MPI_PROC_NULL || status.MPI_SOURCE < 0) return;
  const Comm* const over = s->comm(comm);
  if (over == nullptr) return;
  const Came came = s->received(comm, status.MPI_SOURCE, status.MPI_TAG, sequence);
  if (came.reply != 0) {
    const std::uint32_t from = over->ranks[static_cast<std::size_t>(status.MPI_SOURCE)];
    s->answer(from, came.reply, at_post != nullptr ? *at_post : *s->job.release(call));
  }
  s->job.acquire(call, came.known);
}

void matched(MPI_Message message, MPI_Comm comm, const MPI_Status& status) {
  State* const s = state();
  if (s == nullptr || status.MPI_SOURCE < 0) return;
  Request made;
  made.kind = Request::Kind::kReceive;
  made.comm = comm;
  made.peer = status.MPI_SOURCE;
  made.tag = status.MPI_TAG;
  made.sequence = s->posted(comm, made.peer, made.tag);
  const std::lock_guard guard(s->lock);
  s->messages[message] = made;
}

std::optional<Request> take_matched(MPI_Message message) {
  State* const s = state();
  if (s == nullptr) return {};
  const std::lock_guard guard(s->lock);
  const auto at = s->messages.find(message);
  if (at == s->messages.end()) return {};
  Request found = at->second;
  s->messages.erase(at);
  return found;
}

namespace {

std::uint64_t buffer_under_way(const LibraryCall& call, State& s, const Request& request) {
  if (request.count <= 0) return 0;
  const std::vector<Piece> pieces = s.types.pieces(request.type, request.count);
  const OriginBuffer buffer{
      reinterpret_cast<std::uint64_t>(request.buffer), pieces,
      request.kind == Request::Kind::kReceive ? AccessKind::kOriginWrite : AccessKind::kOriginRead};
  return s.job.issue(call, std::span(&buffer, 1), nullptr, true, Ends::kAlone);
}

}  // namespace

void began(const LibraryCall& call, MPI_Request handle, Request request) {
  State* const s = state();
  if (s == nullptr || handle == MPI_REQUEST_NULL) return;
  if (request.kind == Request::Kind::kReceive) request.at_post = s->job.release(call);
  if (request.buffer != nullptr) request.operation = buffer_under_way(call, *s, request);
  const std::lock_guard guard(s->lock);
  s->requests[handle] = std::move(request);
}

void made_persistent(MPI_Request handle, Request request) {
  State* const s = state();
  if (s == nullptr) return;
  request.is_persistent = true;
  request.is_active = false;
  const std::lock_guard guard(s->lock);
  s->requests[handle] = std::move(request);
}

void started(const LibraryCall& call, MPI_Request handle) {
  State* const s = state();
  if (s == nullptr) return;
  Request now;
  {
    const std::lock_guard guard(s->lock);
    const auto at = s->requests.find(handle);
    if (at == s->requests.end()) return;
    now = at->second;
  }
  now.is_active = true;
  if (now.kind == Request::Kind::kSend) sends(call, now.comm, now.peer, now.tag);
  if (now.kind == Request::Kind::kReceive) now.sequence = will_receive(now.comm, now.peer, now.tag);
  if (now.kind == Request::Kind::kReceive) now.at_post = s->job.release(call);
  now.operation = buffer_under_way(call, *s, now);
  const std::lock_guard guard(s->lock);
  s->requests[handle] = std::move(now);
}

void completed(const LibraryCall& call, MPI_Request handle, const MPI_Status& status) {
  State* const s = state();
  if (s == nullptr || handle == MPI_REQUEST_NULL) return;
  Request done;
  {
    const std::lock_guard guard(s->lock);
    const auto at = s->requests.find(handle);
    if (at == s->requests.end() || !at->second.is_active) return;
    done = at->second;
    if (done.is_persistent) {
      at->second.is_active = false;
    } else {
      s->requests.erase(at);
    }
  }
  if (done.operation != 0) s->job.complete_operation(call, Completes::kLocally, done.operation);
  if (done.kind == Request::Kind::kReceive) {
    receives(call, done.comm, status, done.sequence, done.at_post.get());
  }
  if (done.kind == Request::Kind::kSend) answered(call, done.reply);
  if (done.kind == Request::Kind::kCollective) collective_completed(call, *s, done);
  if (done.kind == Request::Kind::kComm) s->comm_made(*static_cast<MPI_Comm*>(done.buffer));
}

}  // namespace redflag::pgas::mpi
