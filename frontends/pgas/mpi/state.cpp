#include "frontends/pgas/mpi/state.h"

#include <algorithm>
#include <chrono>

#include "frontends/pgas/exchange/holding.h"
#include "frontends/pgas/exchange/shared_atomics.h"
#include "frontends/pgas/track/counts.h"
#include "frontends/pgas/track/layer.h"

namespace redflag::pgas::mpi {
namespace {

State* g_state = nullptr;  // set by start(), in the thread that starts MPI

constexpr int kAnswerTag = 2;
constexpr std::chrono::milliseconds kPatience{100};  // with a synchronous send's receiver

MPI_Comm duplicate(MPI_Comm of) {
  MPI_Comm made = MPI_COMM_NULL;
  PMPI_Comm_dup(of, &made);
  PMPI_Comm_set_errhandler(made, MPI_ERRORS_ARE_FATAL);
  return made;
}

// Ranks of the job, by rank in the group.
std::vector<std::uint32_t> ranks_of(MPI_Comm comm, bool is_inter) {
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Group world = MPI_GROUP_NULL;
  if (is_inter) {
    PMPI_Comm_remote_group(comm, &group);
  } else {
    PMPI_Comm_group(comm, &group);
  }
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  int size = 0;
  PMPI_Group_size(group, &size);
  std::vector<int> mine(static_cast<std::size_t>(size));
  for (int i = 0; i < size; ++i) mine[static_cast<std::size_t>(i)] = i;
  std::vector<int> theirs(mine.size());
  PMPI_Group_translate_ranks(group, size, mine.data(), world, theirs.data());
  PMPI_Group_free(&group);
  PMPI_Group_free(&world);
  return {theirs.begin(), theirs.end()};
}

Comm made_over(MPI_Comm handle) {
  Comm made;
  int is_inter = 0;
  PMPI_Comm_test_inter(handle, &is_inter);
  made.is_inter = is_inter != 0;
  made.shadow = duplicate(handle);
  made.ranks = ranks_of(handle, made.is_inter);
  int all = 0;
  PMPI_Comm_size(MPI_COMM_WORLD, &all);
  made.is_all = !made.is_inter && made.ranks.size() == static_cast<std::size_t>(all);
  return made;
}

}  // namespace

State* state() {
  return g_state;
}

State::State(const abi::WatchTable* watched_by)
    : of_all(duplicate(MPI_COMM_WORLD)),
      transport(of_all),
      job(transport, watched_by, options_of(Model::kMpi)) {
  comm_made(MPI_COMM_WORLD);
  comm_made(MPI_COMM_SELF);
}

Comm* State::comm(MPI_Comm handle) {
  const std::lock_guard guard(lock);
  const auto at = comms_.find(handle);
  return at == comms_.end() ? nullptr : &at->second;
}

void State::comm_made(MPI_Comm handle) {
  if (handle == MPI_COMM_NULL) return;
  Comm made = made_over(handle);
  const std::lock_guard guard(lock);
  comms_[handle] = std::move(made);
}

void State::comm_freed(MPI_Comm handle) {
  MPI_Comm shadow = MPI_COMM_NULL;
  {
    const std::lock_guard guard(lock);
    const auto at = comms_.find(handle);
    if (at == comms_.end()) return;
    shadow = at->second.shadow;
    comms_.erase(at);
    std::erase_if(streams_, [&](const auto& each) { return std::get<0>(each.first) == handle; });
  }
  settle_sends();
  PMPI_Comm_free(&shadow);
}

// Programs use few windows at a time: a thread remembers its last.
Win* State::win(MPI_Win handle) {
  struct Last {
    MPI_Win handle = MPI_WIN_NULL;
    std::uint64_t freed = 0;
    Win* win = nullptr;
  };
  thread_local Last last;
  const std::uint64_t freed = windows_freed_.load(std::memory_order_acquire);
  if (last.win != nullptr && last.handle == handle && last.freed == freed) return last.win;
  const std::lock_guard guard(lock);
  const auto at = wins_.find(handle);
  if (at == wins_.end()) return nullptr;
  last = {handle, freed, &at->second};
  return last.win;
}

Win& State::win_made(MPI_Win handle, MPI_Comm over) {
  Win made;
  made.comm = made_over(over);
  // The same number on all its ranks, and of no other window.
  std::uint64_t number = std::uint64_t{transport.rank() + 1} << 32 | ++windows_made_;
  PMPI_Bcast(&number, 1, MPI_UINT64_T, 0, made.comm.shadow);
  made.number = number;
  made.locks = std::make_unique<Locks>(made.comm.shadow, transport.size());
  const std::lock_guard guard(lock);
  return wins_[handle] = std::move(made);
}

void State::win_freed(MPI_Win handle) {
  Win gone;
  {
    const std::lock_guard guard(lock);
    const auto at = wins_.find(handle);
    if (at == wins_.end()) return;
    gone = std::move(at->second);
    wins_.erase(at);
    windows_freed_.fetch_add(1, std::memory_order_release);
  }
  gone.locks.reset();
  gone.attachments.reset();
  gone.clocks.reset();
  settle_sends();
  PMPI_Comm_free(&gone.comm.shadow);
}

std::uint64_t State::issue(const LibraryCall& call, std::span<const OriginBuffer> buffers,
                           const TargetAccess* target, bool local_is_all, Ends ends) {
  hold::Holder* const holding = hold::holder();
  if (holding == nullptr) return job.issue(call, buffers, target, local_is_all, ends).number;
  const hold::Pause pause(call);
  // Each has a number then.
  const std::uint64_t number = job.issue(call, buffers, target, local_is_all, Ends::kAlone).number;
  holding->issue(call, number, buffers, target, local_is_all);
  return number;
}

void State::send(const Comm& comm, int to, int tag, const Knowledge& known, std::uint64_t reply) {
  settle_sends();
  const std::lock_guard guard(lock);
  Sent& sent = sent_.emplace_back(Sent{MPI_REQUEST_NULL, bytes_of(known)});
  Writer(sent.bytes).put(reply);
  count(counts().messages);
  count(counts().message_bytes, sent.bytes.size());
  PMPI_Isend(sent.bytes.data(), static_cast<int>(sent.bytes.size()), MPI_BYTE, to, tag, comm.shadow,
             &sent.request);
}

Came State::receive(const Comm& comm, int from, int tag) {
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status;
  PMPI_Mprobe(from, tag, comm.shadow, &message, &status);
  int size = 0;
  PMPI_Get_count(&status, MPI_BYTE, &size);
  Bytes bytes(static_cast<std::size_t>(size));
  PMPI_Mrecv(bytes.data(), size, MPI_BYTE, &message, MPI_STATUS_IGNORE);
  Reader in(bytes);
  Came came;
  came.known = read_knowledge(in);
  came.reply = in.take<std::uint64_t>();
  return came;
}

void State::answer(std::uint32_t rank, std::uint64_t reply, const Knowledge& known) {
  Comm whole;
  whole.shadow = of_all;
  send(whole, static_cast<int>(rank), kAnswerTag, known, reply);
}

Knowledge State::answered(std::uint64_t reply) {
  const auto until = std::chrono::steady_clock::now() + kPatience;
  do {
    int is_there = 0;
    MPI_Status status;
    PMPI_Iprobe(MPI_ANY_SOURCE, kAnswerTag, of_all, &is_there, &status);
    Comm whole;
    whole.shadow = of_all;
    std::optional<Came> came;
    if (is_there != 0) came = receive(whole, status.MPI_SOURCE, kAnswerTag);
    const std::lock_guard guard(lock);
    if (came) answers_[came->reply] = std::move(came->known);
    if (const auto at = answers_.find(reply); at != answers_.end()) {
      Knowledge known = std::move(at->second);
      answers_.erase(at);
      return known;
    }
  } while (std::chrono::steady_clock::now() < until);
  return {};
}

std::uint64_t State::posted(MPI_Comm comm, int from, int tag) {
  if (from == MPI_ANY_SOURCE || tag == MPI_ANY_TAG) return 0;
  const std::lock_guard guard(lock);
  return ++streams_[{comm, from, tag}].posted;
}

Came State::received(MPI_Comm handle, int from, int tag, std::uint64_t sequence) {
  const Comm* const over = comm(handle);
  if (over == nullptr) return {};
  for (;;) {
    {
      const std::lock_guard guard(lock);
      Stream& stream = streams_[{handle, from, tag}];
      if (sequence == 0) {  // of any source or tag: the next that nobody has
        sequence = stream.taken + 1;
        stream.posted = std::max(stream.posted, sequence);
      }
      if (const auto at = stream.early.find(sequence); at != stream.early.end()) {
        Came came = std::move(at->second);
        stream.early.erase(at);
        return came;
      }
      if (stream.taken >= sequence) return {};
    }
    Came next = receive(*over, from, tag);
    const std::lock_guard guard(lock);
    Stream& stream = streams_[{handle, from, tag}];
    stream.early[++stream.taken] = std::move(next);
  }
}

void State::settle_sends() {
  const std::lock_guard guard(lock);
  std::erase_if(sent_, [](Sent& each) {
    int done = 0;
    PMPI_Test(&each.request, &done, MPI_STATUS_IGNORE);
    return done != 0;
  });
}

void start() {
  if (g_state != nullptr) return;
  int level = MPI_THREAD_MULTIPLE;
  PMPI_Query_thread(&level);
  CallLock::one_at_a_time(level < MPI_THREAD_MULTIPLE, runtime());
  g_state = new State(runtime());
  hold_in_job(g_state->of_all);
}

void finish(const LibraryCall& call) {
  if (g_state == nullptr) return;
  unshare_all(g_state->job);
  g_state->job.finish(call);
  g_state->transport.close();
  g_state->settle_sends();
  g_state = nullptr;  // never given back: other threads may be about to look at it
}

}  // namespace redflag::pgas::mpi
