#include "frontends/pgas/track/job.h"

#include <algorithm>
#include <chrono>

namespace redflag::pgas {
namespace {

constexpr std::uint64_t kPage = 4096;

// What every rank says before a barrier of all ends.
enum Word : std::size_t { kGathered, kUnknown, kPhase, kWanted };

// Records are exchanged at the first barriers, and then when enough has gathered or some time has passed:
// a job that is cut short has been told of most of its races.
constexpr std::uint32_t kFirstPhases = 8;
constexpr std::chrono::milliseconds kLongest{250};

}  // namespace

// The calling thread's turn: what it did so far is taken in first, with what it knew then.
class Job::Step {
 public:
  Step(Job& job, const LibraryCall& call) : job_(job) {
    job_.lock_.lock();
    job_.drain(call.thread);
    task = &job_.tasks_.now(call.thread);
  }
  ~Step() { job_.lock_.unlock(); }
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;

  Task* task;

 private:
  Job& job_;
};

Job::Job(Transport& transport, const abi::WatchTable* runtime, Options options)
    : transport_(transport),
      runtime_(runtime),
      options_(std::move(options)),
      tasks_(transport.rank(), runtime),
      sources_(transport.rank(), runtime),
      windows_(transport.rank()),
      batches_(transport.size()) {}

// --- Memory ------------------------------------------------------------------------------------------

void Job::window_made(const LibraryCall& call, Window window, std::span<const Segment> others) {
  const Step step(*this, call);
  windows_.add(std::move(window));
  for (const Segment& each : others) windows_.add_segment(each);
  watch(call.thread);
}

void Job::window_freed(const LibraryCall& call, std::uint64_t number) {
  const Step step(*this, call);
  windows_.free(number);
  watch(call.thread);
}

void Job::attached(const LibraryCall& call, const Segment& segment) {
  const Step step(*this, call);
  windows_.add_segment(segment);
  watch(call.thread);
}

void Job::detached(const LibraryCall& call, std::uint64_t window, std::uint64_t begin) {
  const Step step(*this, call);
  windows_.remove_segment(window, begin);
  watch(call.thread);
}

void Job::watch(void* thread) {
  if (thread == nullptr) return;
  std::vector<abi::WatchedRange> all;
  for (const Segment& each : windows_.segments()) {
    all.push_back({each.begin, each.begin + each.size});
  }
  for (const std::uint64_t page : buffer_pages_) all.push_back({page, page + kPage});
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
  watched_.clear();
  for (const abi::WatchedRange& each : all) {
    if (!watched_.empty() && each.begin <= watched_.back().end) {
      watched_.back().end = std::max(watched_.back().end, each.end);
    } else {
      watched_.push_back(each);
    }
  }
  runtime_->watch(thread, watched_.data(), watched_.size());
}

// What is not watched yet is an access of the calling thread now, and watched from now on.
void Job::watch_buffer(const LibraryCall& call, const OriginBuffer& buffer) {
  if (call.thread == nullptr) return;
  bool is_new = false;
  for (const Piece& piece : buffer.pieces) {
    const std::uint64_t begin = buffer.address + piece.offset;
    const std::uint64_t end = begin + piece.size;
    auto at = std::upper_bound(
        watched_.begin(), watched_.end(), begin,
        [](std::uint64_t address, const abi::WatchedRange& range) { return address < range.end; });
    if (at != watched_.end() && at->begin <= begin && at->end >= end) continue;
    is_new = true;
    if (buffer.kind == AccessKind::kOriginRead) {
      runtime_->read(call.thread, reinterpret_cast<const void*>(begin), piece.size);
    } else {
      runtime_->write(call.thread, reinterpret_cast<void*>(begin), piece.size);
    }
    for (std::uint64_t page = begin / kPage * kPage; page < end; page += kPage) {
      buffer_pages_.insert(page);
    }
  }
  if (is_new) watch(call.thread);
}

// --- Accesses ----------------------------------------------------------------------------------------

void Job::drain(void* thread) {
  if (thread == nullptr) return;
  struct To {
    Job& job;
    Task* task = nullptr;
  } to{*this};
  runtime_->drain(
      thread, &to,
      [](void* p, const abi::WatchedMoment& moment) {
        auto& here = *static_cast<To*>(p);
        here.task = &here.job.tasks_.at(moment);
      },
      [](void* p, const abi::WatchedAccess& access) {
        auto& here = *static_cast<To*>(p);
        here.job.add_local(*here.task, access);
      });
}

void Job::add(Access access) {
  if (last_ && last_->end == access.begin && last_->kind == access.kind &&
      last_->source == access.source && last_->issued == access.issued &&
      last_->object == access.object) {
    last_->end = access.end;
    return;
  }
  if (last_) phase_.add(std::move(*last_));
  last_ = std::move(access);
}

void Job::add_local(Task& task, const abi::WatchedAccess& access) {
  Access made;
  made.kind = access.is_write ? AccessKind::kStore : AccessKind::kLoad;
  made.by = made.completed_by = task.clock.name();
  made.issued = task.clock.access();
  made.completed = tasks_.time_of(task);
  made.source = sources_.of_context(access.context);
  tasks_.stepped(task);
  for (std::uint64_t at = access.begin; at < access.end; at = made.end) {
    const Segment* const segment = windows_.foreign_at_or_behind(at);
    const std::uint64_t begin = segment == nullptr ? access.end : segment->begin;
    made.begin = at;
    if (begin > at) {  // of this rank: a window's, or perhaps an operation's buffer
      made.end = std::min(begin, access.end);
      made.object = windows_.own_at(at);
      add(made);
      continue;
    }
    made.end = std::min(access.end, segment->begin + segment->size);
    Record record;
    record.window = segment->window;
    record.piece = {segment->offset + (at - segment->begin), made.end - made.begin};
    record.kind = made.kind;
    record.by = made.by;
    record.completed = made.completed;
    record.completed_by = made.completed_by;
    record.source = made.source;
    record.issued = made.issued;
    batches_[segment->owner].add(std::move(record));
  }
}

SourceNumber Job::source(const LibraryCall& call) {
  if (call.thread == nullptr) return sources_.of_call(call.function, call.caller);
  return sources_.of_context(runtime_->where(call.thread));
}

// --- Operations --------------------------------------------------------------------------------------

std::uint64_t Job::issue(const LibraryCall& call, std::span<const OriginBuffer> buffers,
                         const TargetAccess* target, bool local_is_all) {
  const Step step(*this, call);
  for (const OriginBuffer& buffer : buffers) watch_buffer(call, buffer);
  Task& task = *step.task;
  Pending pending;
  pending.operation = ++operations_;
  pending.local_is_all = local_is_all;
  const SourceNumber here = source(call);
  const std::shared_ptr<const Knowledge> issued = task.clock.issue();
  for (const OriginBuffer& buffer : buffers) {
    for (const Piece& piece : buffer.pieces) {
      Access access;
      access.begin = buffer.address + piece.offset;
      access.end = access.begin + piece.size;
      access.kind = buffer.kind;
      access.by = task.clock.name();
      access.issued = issued;
      access.operation = pending.operation << 1;
      access.source = here;
      access.object = windows_.own_at(access.begin);
      phase_.add(std::move(access));
    }
  }
  if (target != nullptr) {
    pending.has_target = true;
    pending.group = target->group;
    pending.writes = info(target->kind).writes;
    pending.target = target->rank;
    pending.generation = generation_;
    Batch& batch = batches_[target->rank];
    // What this rank has fenced comes before what it writes now, to this target.
    std::shared_ptr<const Knowledge> known = issued;
    const auto fenced = fenced_.find(target->rank);
    const bool is_fenced = pending.writes && fenced != fenced_.end();
    if (is_fenced || target->known_there != nullptr) {
      Knowledge more = *issued;
      if (target->known_there != nullptr) more.join(*target->known_there);
      if (is_fenced) more.learn(delivery(transport_.rank(), target->rank), fenced->second);
      more.learn(task.clock.name(), task.clock.time().counter);
      known = std::make_shared<const Knowledge>(std::move(more));
    }
    for (const Piece& piece : target->pieces) {
      Record record;
      record.window = target->window;
      record.displacement = target->displacement;
      record.piece = piece;
      record.kind = target->kind;
      record.atomicity = target->atomicity;
      record.by = task.clock.name();
      record.operation = pending.operation;
      record.source = here;
      record.issued = known;
      const std::size_t place = batch.add(std::move(record));
      if (pending.records++ == 0) pending.first_record = place;
    }
  }
  pending_.push_back(pending);
  tasks_.advance(task, call.thread);
  return pending.operation;
}

void Job::complete(const Task& task, Completes how, Pending& pending) {
  const Time time = tasks_.time_of(task);
  const ThreadName by = task.clock.name();
  if (!pending.is_locally_complete) {
    phase_.complete(transport_.rank(), pending.operation << 1, time, by);
    pending.is_locally_complete = true;
  }
  if (!pending.has_target || (how == Completes::kLocally && !pending.local_is_all)) return;
  Batch& batch = batches_[pending.target];
  if (pending.generation == generation_) {
    for (std::size_t i = 0; i < pending.records; ++i) {
      Record& record = batch.record(pending.first_record + i);
      record.completed = time;
      record.completed_by = by;
    }
  } else {
    batch.complete({pending.operation, time, by});
  }
  pending.has_target = false;
}

void Job::complete(const LibraryCall& call, Completes how, std::uint64_t group,
                   std::optional<std::uint32_t> target) {
  const Step step(*this, call);
  tasks_.advance(*step.task, call.thread);
  for (Pending& each : pending_) {
    if (each.group == group && (!target || each.target == *target)) {
      complete(*step.task, how, each);
    }
  }
  std::erase_if(pending_,
                [](const Pending& each) { return each.is_locally_complete && !each.has_target; });
}

void Job::complete_operation(const LibraryCall& call, Completes how, std::uint64_t operation) {
  const Step step(*this, call);
  tasks_.advance(*step.task, call.thread);
  for (Pending& each : pending_) {
    if (each.operation == operation) complete(*step.task, how, each);
  }
  std::erase_if(pending_,
                [](const Pending& each) { return each.is_locally_complete && !each.has_target; });
}

void Job::fence(const LibraryCall& call, std::uint64_t group) {
  const Step step(*this, call);
  tasks_.advance(*step.task, call.thread);
  const Time time = tasks_.time_of(*step.task);
  for (const Pending& each : pending_) {
    if (each.group != group || !each.has_target || !each.writes) continue;
    fenced_[each.target] = time.counter;
    Batch& batch = batches_[each.target];
    for (std::size_t i = 0; i < each.records && each.generation == generation_; ++i) {
      Record& record = batch.record(each.first_record + i);
      if (record.delivered != kPending) continue;  // by an earlier fence
      record.delivered = time;
      record.delivered_by = delivery(transport_.rank(), each.target);
    }
  }
}

Knowledge Job::release_to(const LibraryCall& call, std::uint32_t target) {
  const Step step(*this, call);
  Knowledge known = step.task->clock.known();
  if (const auto at = fenced_.find(target); at != fenced_.end()) {
    known.learn(delivery(transport_.rank(), target), at->second);
  }
  tasks_.advance(*step.task, call.thread);
  return known;
}

void Job::seen(const LibraryCall& call, std::uint32_t from, std::uint64_t operation,
               const Knowledge& known) {
  const Step step(*this, call);
  tasks_.advance(*step.task, call.thread);
  step.task->clock.acquire(known);
  tasks_.publish(*step.task);
  phase_.deliver(from, operation << 1 | 1, tasks_.time_of(*step.task), step.task->clock.name());
}

// --- Order -------------------------------------------------------------------------------------------

std::shared_ptr<const Knowledge> Job::release(const LibraryCall& call) {
  const Step step(*this, call);
  std::shared_ptr<const Knowledge> given =
      std::make_shared<const Knowledge>(step.task->clock.known());
  tasks_.advance(*step.task, call.thread);
  return given;
}

void Job::acquire(const LibraryCall& call, const Knowledge& known) {
  const Step step(*this, call);
  tasks_.advance(*step.task, call.thread);
  step.task->clock.acquire(known);
  tasks_.publish(*step.task);
}

void Job::barrier_enter(const LibraryCall& call) {
  const Step step(*this, call);
  unknown_ = tasks_.unknown_to(*step.task);
  tasks_.advance(*step.task, call.thread);
  // What other threads do from now on is not before what follows the barrier.
  tasks_.phase = phase_number_ + 1;
}

std::size_t Job::gathered() const {
  std::size_t n = phase_.size();
  for (const Batch& each : batches_) n += each.size();
  return n;
}

bool Job::wants_exchange() const {
  if (gathered() == 0 && !last_) return false;
  return phase_number_ < kFirstPhases || std::chrono::steady_clock::now() - exchanged_ > kLongest;
}

void Job::barrier_leave(const LibraryCall& call) {
  const Step step(*this, call);
  const Transport::Words all = transport_.largest(
      {gathered(), unknown_.size(), phase_number_ + 1, wants_exchange() ? 1U : 0U});
  std::vector<ThreadName> exceptions;
  Knowledge of_exceptions;
  if (all[kUnknown] != 0) {
    // Who they are, and what each rank's caller knows of them.
    Bytes mine;
    Writer out(mine);
    out.put(static_cast<std::uint32_t>(unknown_.size()));
    for (const ThreadName& each : unknown_) out.put(each);
    write_knowledge(step.task->clock.known(), mine);
    for (const Bytes& each : transport_.all_gather(mine)) {
      Reader in(each);
      for (std::uint32_t n = in.take_count(sizeof(ThreadName)); n > 0; --n) {
        exceptions.push_back(in.take<ThreadName>());
      }
      of_exceptions.join(read_knowledge(in));
    }
    std::sort(exceptions.begin(), exceptions.end());
  }
  phase_number_ = tasks_.phase = static_cast<std::uint32_t>(all[kPhase]);
  step.task->clock.acquire(of_exceptions);
  step.task->clock.enter(phase_number_, exceptions);
  tasks_.advance(*step.task, call.thread);
  tasks_.publish(*step.task);
  if (all[kGathered] < options_.batch && all[kWanted] == 0) return;
  exchange();
  Knowledge of_all;
  of_all.enter(phase_number_, std::move(exceptions));
  check(of_all);
}

void Job::finish(const LibraryCall& call) {
  const Step step(*this, call);
  exchange();
  Knowledge of_all;
  of_all.enter(phase_number_ + 1);
  check(of_all);
}

}  // namespace redflag::pgas
