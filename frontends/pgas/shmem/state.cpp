#include "frontends/pgas/shmem/state.h"

#include <link.h>
#include <shmem.h>

#include <algorithm>
#include <string>

#include "frontends/pgas/exchange/holding.h"
#include "frontends/pgas/exchange/shared_atomics.h"
#include "frontends/pgas/track/layer.h"

namespace redflag::pgas::shmem {
namespace {

State* g_state = nullptr;  // set by start()
bool g_has_ended = false;

constexpr std::uint64_t kGlobals = 1;  // the object that is the program's global variables
constexpr std::uint64_t kDefaultGroup = 1;
constexpr int kFlag = 17;  // tag of what is told with a flag

MPI_Comm duplicate(MPI_Comm of) {
  MPI_Comm made = MPI_COMM_NULL;
  PMPI_Comm_dup(of, &made);
  return made;
}

// The writable part of the program's own file.
int look_for_globals(dl_phdr_info* module, std::size_t, void* data) {
  for (int i = 0; i < module->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = module->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || (part.p_flags & PF_W) == 0) continue;
    *static_cast<Segment*>(data) = {kGlobals, 0, module->dlpi_addr + part.p_vaddr, part.p_memsz, 0};
  }
  return 1;  // the program comes first
}

}  // namespace

State* state() {
  return g_state;
}

bool has_ended() {
  return g_has_ended;
}

State::State(const abi::WatchTable* watched_by)
    : of_all(duplicate(MPI_COMM_WORLD)),
      transport(of_all),
      job(transport, watched_by, options_of(Model::kShmem)),
      locks(of_all, transport.size()),
      flags(of_all),
      groups_(kDefaultGroup) {
  MPI_Comm near = MPI_COMM_NULL;
  PMPI_Comm_split_type(of_all, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &near);
  clocks = std::make_shared<mpi::SharedClocks>(near, transport.size());
  PMPI_Comm_free(&near);
}

void start(const LibraryCall& call) {
  if (g_state != nullptr) return;
  int level = SHMEM_THREAD_MULTIPLE;
  shmem_query_thread(&level);
  CallLock::one_at_a_time(level < SHMEM_THREAD_MULTIPLE, runtime());
  g_state = new State(runtime());
  mpi::hold_in_job(g_state->of_all);
  Segment globals;
  ::dl_iterate_phdr(look_for_globals, &globals);
  g_state->set_globals(call, globals);
}

void finish(const LibraryCall& call) {
  if (g_state == nullptr) return;
  mpi::unshare_all(g_state->job);
  g_state->job.finish(call);
  g_state->transport.close();
  g_has_ended = true;
  g_state = nullptr;  // never given back: other threads may be about to look at it
}

void State::set_globals(const LibraryCall& call, const Segment& globals) {
  globals_ = globals;
  Window window;
  window.number = kGlobals;
  window.name = "global variables";
  window.base = globals.begin;
  window.size = globals.size;
  tell_holder(kGlobals, window.base);
  job.window_made(call, std::move(window), {});
}

const Segment* State::object_at(const void* address) const {
  const auto at = reinterpret_cast<std::uint64_t>(address);
  const auto behind = objects_.upper_bound(at);
  if (behind != objects_.begin()) {
    const Segment& object = std::prev(behind)->second;
    if (at - object.begin < object.size) return &object;
  }
  return at >= globals_.begin && at - globals_.begin < globals_.size ? &globals_ : nullptr;
}

std::optional<Place> State::place(const void* address) const {
  const Segment* const object = object_at(address);
  if (object == nullptr) return {};
  return Place{object->window, reinterpret_cast<std::uint64_t>(address) - object->begin};
}

Absent State::absent(std::uint64_t address) const {
  const auto behind = freed_.upper_bound(address);
  if (behind != freed_.begin() && address < std::prev(behind)->second) return Absent::kFreed;
  return address >= heap_.begin && address < heap_.end ? Absent::kBetween : Absent::kElsewhere;
}

void State::allocated(const LibraryCall& call, void* p, std::size_t size) {
  if (p == nullptr || size == 0) return;
  const auto begin = reinterpret_cast<std::uint64_t>(p);
  Window window;
  window.number = ++allocations_;
  window.name = "symmetric allocation " + std::to_string(allocations_ - 1);
  window.base = begin;
  window.size = size;
  {
    const std::lock_guard guard(lock_);
    objects_[begin] = {window.number, transport.rank(), begin, size, 0};
    heap_ = {std::min(heap_.begin, begin), std::max(heap_.end, begin + size)};
    auto gone = freed_.lower_bound(begin);
    if (gone != freed_.begin() && std::prev(gone)->second > begin) --gone;
    while (gone != freed_.end() && gone->first < begin + size) gone = freed_.erase(gone);
  }
  tell_holder(window.number, begin);
  mpi::share(job, {window.number, transport.rank(), begin, size, 0}, clocks);
  job.window_made(call, std::move(window), {});
}

void State::tell_holder(std::uint64_t object, std::uint64_t base) {
  hold::Holder* const holding = hold::holder();
  if (holding == nullptr) return;
  const hold::Part mine{holding->board().process(), base, 1};
  std::vector<hold::Part> all(transport.size());
  PMPI_Allgather(&mine, sizeof(mine), MPI_BYTE, all.data(), sizeof(mine), MPI_BYTE, of_all);
  std::map<std::uint32_t, hold::Part> parts;
  for (std::uint32_t pe = 0; pe < all.size(); ++pe) parts[pe] = all[pe];
  holding->window_made(object, std::move(parts));
}

Job::Issued State::issue(const LibraryCall& call, std::span<const OriginBuffer> buffers,
                         const TargetAccess& target, Ends ends) {
  hold::Holder* const holding = hold::holder();
  if (holding == nullptr) return job.issue(call, buffers, &target, true, ends);
  const hold::Pause pause(call);
  // Each has a number then.
  Job::Issued issued = job.issue(call, buffers, &target, true, Ends::kAlone);
  holding->issue(call, issued.number, buffers, &target, true);
  return issued;
}

void State::freed(const LibraryCall& call, void* p) {
  std::uint64_t number = 0;
  {
    const std::lock_guard guard(lock_);
    const auto at = objects_.find(reinterpret_cast<std::uint64_t>(p));
    if (at == objects_.end()) return;
    number = at->second.window;
    freed_[at->first] = at->first + at->second.size;
    objects_.erase(at);
  }
  if (hold::Holder* const holding = hold::holder()) holding->window_freed(number);
  mpi::unshare(number);
  job.window_freed(call, number);
}

std::uint64_t State::group(Context context) {
  if (context == nullptr) return kDefaultGroup;
  const std::lock_guard guard(lock_);
  std::uint64_t& number = contexts_[context];
  if (number == 0) number = ++groups_;
  return number;
}

// A handle may be one that was used before.
void State::context_made(Context context) {
  const std::lock_guard guard(lock_);
  contexts_[context] = ++groups_;
}

void State::context_gone(Context context) {
  const std::lock_guard guard(lock_);
  contexts_.erase(context);
}

bool State::has_context(Context context) {
  const std::lock_guard guard(lock_);
  return contexts_.contains(context);
}

void State::tell(int pe, const Place& place, const Job::Issued& write) {
  const std::lock_guard guard(lock_);
  Bytes bytes;
  Writer out(bytes);
  out.put(place);
  out.put(write.record);
  write_knowledge(*write.to_tell, bytes);
  while (!sent_.empty()) {
    int done = 0;
    PMPI_Test(&sent_.front().request, &done, MPI_STATUS_IGNORE);
    if (done == 0) break;
    sent_.pop_front();
  }
  Sent& sent = sent_.emplace_back(Sent{MPI_REQUEST_NULL, std::move(bytes)});
  PMPI_Isend(sent.bytes.data(), static_cast<int>(sent.bytes.size()), MPI_BYTE, pe, kFlag, of_all,
             &sent.request);
}

void State::drain() {
  const std::lock_guard guard(lock_);
  for (;;) {
    int is_there = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    PMPI_Improbe(MPI_ANY_SOURCE, kFlag, of_all, &is_there, &message, &status);
    if (is_there == 0) return;
    int size = 0;
    PMPI_Get_count(&status, MPI_BYTE, &size);
    Bytes bytes(static_cast<std::size_t>(size));
    PMPI_Mrecv(bytes.data(), size, MPI_BYTE, &message, MPI_STATUS_IGNORE);
    Reader in(bytes);
    const auto at = in.take<Place>();
    mpi::FlagSeen told;
    told.from = static_cast<std::uint32_t>(status.MPI_SOURCE);
    told.record = in.take<std::uint64_t>();
    told.known = read_knowledge(in);
    if (in.ok()) told_[at].push_back(std::move(told));
  }
}

void State::look(const LibraryCall& call, const void* flag) {
  const std::optional<Place> at = place(flag);
  if (!at) return;
  drain();
  std::vector<mpi::FlagSeen> seen;
  {
    const std::lock_guard guard(lock_);
    if (const auto told = told_.find(*at); told != told_.end()) {
      for (mpi::FlagSeen& each : told->second) {
        if (flags.is_new(each.from, *at, each.record)) seen.push_back(std::move(each));
      }
      told_.erase(told);
    }
    if (seen.empty()) seen = flags.look(*at);
  }
  for (const mpi::FlagSeen& each : seen) job.seen(call, each.from, each.record, each.known);
}

bool State::is_all(const ActiveSet& set) const {
  const auto [first, log_stride, size] = set;
  return first == 0 && log_stride == 0 && static_cast<std::uint32_t>(size) == transport.size();
}

MPI_Comm State::comm(const ActiveSet& set) {
  if (is_all(set)) return of_all;
  const std::lock_guard guard(lock_);
  const auto known = comms_.find(set);
  if (known != comms_.end()) return known->second;
  const auto [first, log_stride, size] = set;
  std::vector<int> ranks;
  for (int i = 0; i < size; ++i) ranks.push_back(first + (i << log_stride));
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Group some = MPI_GROUP_NULL;
  PMPI_Comm_group(of_all, &all);
  PMPI_Group_incl(all, size, ranks.data(), &some);
  MPI_Comm made = MPI_COMM_NULL;
  PMPI_Comm_create_group(of_all, some, kFlag + 1, &made);
  PMPI_Group_free(&some);
  PMPI_Group_free(&all);
  return comms_[set] = made;
}

}  // namespace redflag::pgas::shmem
