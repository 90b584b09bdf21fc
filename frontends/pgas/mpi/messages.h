// Two-sided communication: order from the sender to the receiver, and buffers under way.
//
// Every message of the program has one of ours beside it, on the shadow communicator with the same
// destination and tag, that carries what the sender knew. (MPI 3.1, chapter 3: messages between two
// ranks with one tag on one communicator do not overtake each other.)
#pragma once

#include "frontends/pgas/mpi/state.h"

namespace redflag::pgas::mpi {

// A buffer that is read or written by the time the call returns.
void touch(const LibraryCall& call, const void* buffer, int count, MPI_Datatype type, bool write);
// Elements that came, of those that there was room for.
int received_count(const MPI_Status& status, int count, MPI_Datatype type);
// What a synchronous send is answered by; 0: it is none.
std::uint64_t sends(const LibraryCall& call, MPI_Comm comm, int to, int tag,
                    bool is_synchronous = false);
void answered(const LibraryCall& call, std::uint64_t reply);
void receives(const LibraryCall& call, MPI_Comm comm, const MPI_Status& status,
              std::uint64_t sequence, const Knowledge* at_post = nullptr);
std::uint64_t will_receive(MPI_Comm comm, int from, int tag);
// A request that was begun; its buffer is under way.
void began(const LibraryCall& call, MPI_Request handle, Request request);
void made_persistent(MPI_Request handle, Request request);
void started(const LibraryCall& call, MPI_Request handle);
// Under 'redflag confirm', before the call that waits for these.
void hold_before(std::span<const MPI_Request> requests);
// A request that is complete, by the handle that it had.
void completed(const LibraryCall& call, MPI_Request handle, const MPI_Status& status);

// Means nothing by itself; but what the library does in it (it moves others' operations on) is not the
// program's.
template <typename Real>
int probe(const LibraryCall&, Real real, MPI_Status* status) {
  return real(status);
}

template <typename Real>
int send(const LibraryCall& call, Real real, const void* buffer, int count, MPI_Datatype type,
         int to, int tag, MPI_Comm comm) {
  touch(call, buffer, count, type, false);
  sends(call, comm, to, tag);
  return real();
}
// It returns when its receive has started: what the receiver did before that is before what follows.
template <typename Real>
int ssend(const LibraryCall& call, Real real, const void* buffer, int count, MPI_Datatype type,
          int to, int tag, MPI_Comm comm) {
  touch(call, buffer, count, type, false);
  const std::uint64_t reply = sends(call, comm, to, tag, true);
  const int result = real();
  answered(call, reply);
  return result;
}
template <typename Real>
int isend(const LibraryCall& call, Real real, const void* buffer, int count, MPI_Datatype type,
          int to, int tag, MPI_Comm comm, const MPI_Request* request, bool is_synchronous = false) {
  const std::uint64_t reply = sends(call, comm, to, tag, is_synchronous);
  const int result = real();
  Request made;
  made.kind = Request::Kind::kSend;
  made.reply = reply;
  made.buffer = const_cast<void*>(buffer);
  made.count = count;
  made.type = type;
  began(call, *request, made);
  return result;
}
template <typename Real>
int issend(const LibraryCall& call, Real real, const void* buffer, int count, MPI_Datatype type,
           int to, int tag, MPI_Comm comm, const MPI_Request* request) {
  return isend(call, real, buffer, count, type, to, tag, comm, request, true);
}
// `real` puts the status where it is told to.
template <typename Real>
int recv(const LibraryCall& call, Real real, void* buffer, int count, MPI_Datatype type, int from,
         int tag, MPI_Comm comm, MPI_Status* status) {
  MPI_Status own;
  MPI_Status* const to = status == MPI_STATUS_IGNORE ? &own : status;
  const std::uint64_t sequence = will_receive(comm, from, tag);
  const int result = real(to);
  if (result == MPI_SUCCESS) {
    touch(call, buffer, received_count(*to, count, type), type, true);
    receives(call, comm, *to, sequence);
  }
  return result;
}
template <typename Real>
int irecv(const LibraryCall& call, Real real, void* buffer, int count, MPI_Datatype type, int from,
          int tag, MPI_Comm comm, const MPI_Request* request) {
  const std::uint64_t sequence = will_receive(comm, from, tag);
  const int result = real();
  Request made;
  made.kind = Request::Kind::kReceive;
  made.comm = comm;
  made.peer = from;
  made.tag = tag;
  made.sequence = sequence;
  made.buffer = buffer;
  made.count = count;
  made.type = type;
  began(call, *request, made);
  return result;
}
template <typename Real>
int sendrecv(const LibraryCall& call, Real real, const void* sent, int send_count,
             MPI_Datatype send_type, int to, int send_tag, void* buffer, int count,
             MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status) {
  touch(call, sent, send_count, send_type, false);
  sends(call, comm, to, send_tag);
  return recv(call, real, buffer, count, type, from, tag, comm, status);
}
template <typename Real>
int sendrecv_replace(const LibraryCall& call, Real real, void* buffer, int count, MPI_Datatype type,
                     int to, int send_tag, int from, int tag, MPI_Comm comm, MPI_Status* status) {
  sends(call, comm, to, send_tag);
  return recv(call, real, buffer, count, type, from, tag, comm, status);
}

template <typename Real>
int send_init(const LibraryCall&, Real real, const void* buffer, int count, MPI_Datatype type,
              int to, int tag, MPI_Comm comm, const MPI_Request* request) {
  const int result = real();
  Request made;
  made.kind = Request::Kind::kSend;
  made.comm = comm;
  made.peer = to;
  made.tag = tag;
  made.buffer = const_cast<void*>(buffer);
  made.count = count;
  made.type = type;
  made_persistent(*request, made);
  return result;
}
template <typename Real>
int recv_init(const LibraryCall&, Real real, void* buffer, int count, MPI_Datatype type, int from,
              int tag, MPI_Comm comm, const MPI_Request* request) {
  const int result = real();
  Request made;
  made.kind = Request::Kind::kReceive;
  made.comm = comm;
  made.peer = from;
  made.tag = tag;
  made.buffer = buffer;
  made.count = count;
  made.type = type;
  made_persistent(*request, made);
  return result;
}
template <typename Real>
int start_one(const LibraryCall& call, Real real, const MPI_Request* request) {
  started(call, *request);
  return real();
}
template <typename Real>
int start_all(const LibraryCall& call, Real real, int count, const MPI_Request* requests) {
  for (int i = 0; i < count; ++i) started(call, requests[i]);
  return real();
}

// A message that was matched before it is received: its place among those of its sender is taken then.
void matched(MPI_Message message, MPI_Comm comm, const MPI_Status& status);
std::optional<Request> take_matched(MPI_Message message);

template <typename Real>
int mprobe(const LibraryCall&, Real real, MPI_Comm comm, const MPI_Message* message,
           MPI_Status* status) {
  MPI_Status own;
  MPI_Status* const to = status == MPI_STATUS_IGNORE ? &own : status;
  const int result = real(to);
  matched(*message, comm, *to);
  return result;
}
template <typename Real>
int improbe(const LibraryCall&, Real real, MPI_Comm comm, const int* flag,
            const MPI_Message* message, MPI_Status* status) {
  MPI_Status own;
  MPI_Status* const to = status == MPI_STATUS_IGNORE ? &own : status;
  const int result = real(to);
  if (*flag != 0) matched(*message, comm, *to);
  return result;
}
template <typename Real>
int mrecv(const LibraryCall& call, Real real, void* buffer, int count, MPI_Datatype type,
          const MPI_Message* message, MPI_Status* status) {
  MPI_Status own;
  MPI_Status* const to = status == MPI_STATUS_IGNORE ? &own : status;
  const std::optional<Request> from = take_matched(*message);
  const int result = real(to);
  touch(call, buffer, received_count(*to, count, type), type, true);
  if (from) receives(call, from->comm, *to, from->sequence);
  return result;
}
template <typename Real>
int imrecv(const LibraryCall& call, Real real, void* buffer, int count, MPI_Datatype type,
           const MPI_Message* message, const MPI_Request* request) {
  std::optional<Request> from = take_matched(*message);
  const int result = real();
  if (!from) return result;
  from->buffer = buffer;
  from->count = count;
  from->type = type;
  began(call, *request, *from);
  return result;
}

// --- Waiting. `real` puts the statuses where it is told to.
template <typename Real>
int wait_one(const LibraryCall& call, Real real, MPI_Request* request, MPI_Status* status) {
  MPI_Status own;
  MPI_Status* const to = status == MPI_STATUS_IGNORE ? &own : status;
  const MPI_Request before = *request;
  hold_before(std::span(&before, 1));
  const int result = real(to);
  completed(call, before, *to);
  return result;
}
template <typename Real>
int test_one(const LibraryCall& call, Real real, MPI_Request* request, const int* flag,
             MPI_Status* status) {
  MPI_Status own;
  MPI_Status* const to = status == MPI_STATUS_IGNORE ? &own : status;
  const MPI_Request before = *request;
  const int result = real(to);
  if (*flag != 0) completed(call, before, *to);
  return result;
}
template <typename Real>
int wait_all(const LibraryCall& call, Real real, int count, MPI_Request* requests,
             MPI_Status* statuses) {
  const auto n = static_cast<std::size_t>(count);
  const std::vector<MPI_Request> before(requests, requests + n);
  std::vector<MPI_Status> own(statuses == MPI_STATUSES_IGNORE ? n : 0);
  MPI_Status* const to = statuses == MPI_STATUSES_IGNORE ? own.data() : statuses;
  hold_before(before);
  const int result = real(to);
  for (std::size_t i = 0; i < n; ++i) completed(call, before[i], to[i]);
  return result;
}
template <typename Real>
int test_all(const LibraryCall& call, Real real, int count, MPI_Request* requests, const int* flag,
             MPI_Status* statuses) {
  const auto n = static_cast<std::size_t>(count);
  const std::vector<MPI_Request> before(requests, requests + n);
  std::vector<MPI_Status> own(statuses == MPI_STATUSES_IGNORE ? n : 0);
  MPI_Status* const to = statuses == MPI_STATUSES_IGNORE ? own.data() : statuses;
  const int result = real(to);
  for (std::size_t i = 0; i < n && *flag != 0; ++i) completed(call, before[i], to[i]);
  return result;
}
template <typename Real>
int wait_any(const LibraryCall& call, Real real, int count, MPI_Request* requests, const int* index,
             MPI_Status* status) {
  const std::vector<MPI_Request> before(requests, requests + count);
  MPI_Status own;
  MPI_Status* const to = status == MPI_STATUS_IGNORE ? &own : status;
  hold_before(before);
  const int result = real(to);
  if (*index >= 0 && *index < count) completed(call, before[static_cast<std::size_t>(*index)], *to);
  return result;
}
template <typename Real>
int test_any(const LibraryCall& call, Real real, int count, MPI_Request* requests, const int* index,
             const int* flag, MPI_Status* status) {
  const std::vector<MPI_Request> before(requests, requests + count);
  MPI_Status own;
  MPI_Status* const to = status == MPI_STATUS_IGNORE ? &own : status;
  const int result = real(to);
  if (*flag != 0 && *index >= 0 && *index < count) {
    completed(call, before[static_cast<std::size_t>(*index)], *to);
  }
  return result;
}
template <typename Real>
int wait_some(const LibraryCall& call, Real real, int count, MPI_Request* requests, const int* done,
              const int* indices, MPI_Status* statuses) {
  const std::vector<MPI_Request> before(requests, requests + count);
  std::vector<MPI_Status> own(statuses == MPI_STATUSES_IGNORE ? before.size() : 0);
  MPI_Status* const to = statuses == MPI_STATUSES_IGNORE ? own.data() : statuses;
  hold_before(before);
  const int result = real(to);
  for (int i = 0; i < *done; ++i) {  // MPI_UNDEFINED is below 0
    completed(call, before[static_cast<std::size_t>(indices[i])], to[i]);
  }
  return result;
}

}  // namespace redflag::pgas::mpi
