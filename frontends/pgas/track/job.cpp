#include "frontends/pgas/track/job.h"

#include <algorithm>
#include <chrono>

#include "frontends/pgas/track/step.h"

namespace redflag::pgas {
namespace {

constexpr std::uint64_t kPage = 4096;

// What every rank says before a barrier of all ends.
enum Word : std::size_t { kGathered, kUnknown, kPhase, kWanted };
// Of an exchange: not yet, wanted, or wanted as it is, since some records are on their way and in no batch.
enum Want : std::uint64_t { kNot, kExchange, kWithoutAsking };

// Records are exchanged at the first barriers, and then when enough has gathered or some time has passed:
// a job that is cut short has been told of most of its races. And after so many phases, of which each has
// things of its own: so memory does not depend on how fast they are.
constexpr std::uint32_t kFirstPhases = 8;
constexpr std::uint32_t kMostPhases = 128;
constexpr std::chrono::milliseconds kLongestPhase{250};

// Barriers that follow each other closer than this keep nobody waiting.
constexpr std::chrono::milliseconds kSoon{10};

AccessKind kind_of(const abi::WatchedAccess& access) {
  if (access.is_atomic) return access.is_write ? AccessKind::kAtomicStore : AccessKind::kAtomicLoad;
  if (access.is_write) return AccessKind::kStore;
  return access.may_poll ? AccessKind::kPollingLoad : AccessKind::kLoad;
}

}  // namespace

Job::Job(Transport& transport, const abi::WatchTable* runtime, Options options)
    : transport_(transport),
      runtime_(runtime),
      options_(std::move(options)),
      tasks_(transport.rank(), runtime),
      sources_(transport.rank(), runtime),
      windows_(transport.rank()),
      batches_(transport.size()),
      claims_(transport.rank(), transport.size()),
      outgoing_(transport.size()),
      incoming_(transport.size()) {
  rest();
}

// --- Memory ------------------------------------------------------------------------------------------

void Job::window_made(const LibraryCall& call, Window window, std::span<const Segment> others) {
  const Step step(*this, call);
  own_becomes_common();
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
  own_becomes_common();
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
  all.insert(all.end(), buffers_.begin(), buffers_.end());
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

// An access of the calling thread now, in the eyes of the other threads; and watched until it is over.
void Job::watch_buffer(const LibraryCall& call, const OriginBuffer& buffer) {
  if (call.thread == nullptr) return;
  if (buffer.kind == AccessKind::kOriginWrite) {
    lowest_filled_ = std::min(lowest_filled_, buffer.address);
  }
  bool is_new = false;
  for (const Piece& piece : buffer.pieces) {
    const std::uint64_t begin = buffer.address + piece.offset;
    const std::uint64_t end = begin + piece.size;
    const auto at = std::upper_bound(
        watched_.begin(), watched_.end(), begin,
        [](std::uint64_t address, const abi::WatchedRange& range) { return address < range.end; });
    if (at != watched_.end() && at->begin <= begin && at->end >= end) continue;
    if (runtime_->is_alone()) {
      // No other thread has eyes.
    } else if (buffer.kind == AccessKind::kOriginRead) {
      runtime_->read(call.thread, reinterpret_cast<const void*>(begin), piece.size);
    } else {
      runtime_->write(call.thread, reinterpret_cast<void*>(begin), piece.size);
    }
    const abi::WatchedRange pages{begin / kPage * kPage, (end + kPage - 1) / kPage * kPage};
    if (is_new && buffers_.back().end >= pages.begin && buffers_.back().begin <= pages.begin) {
      buffers_.back().end = std::max(buffers_.back().end, pages.end);
    } else {
      buffers_.push_back(pages);
    }
    is_new = true;
  }
  if (is_new) watch(call.thread);
}

void Job::unwatch_buffers(const LibraryCall& call) {
  if (open_buffers_ == 0) lowest_filled_ = ~std::uint64_t{0};
  if (open_buffers_ != 0 || buffers_.empty()) return;
  buffers_.clear();
  watch(call.thread);
}

// --- Accesses ----------------------------------------------------------------------------------------

void Job::drain(void* thread) {
  if (thread == nullptr) return;
  struct To {
    Job& job;
    void* thread;
    Task* task = nullptr;
  } to{*this, thread};
  runtime_->drain(
      thread, &to,
      [](void* p, const abi::WatchedMoment& moment) {
        auto& here = *static_cast<To*>(p);
        here.task = &here.job.tasks_.then(moment, here.thread);
      },
      [](void* p, const abi::WatchedAccess& access) {
        auto& here = *static_cast<To*>(p);
        here.job.add_local(*here.task, access);
      });
}

void Job::add_local(Task& task, const abi::WatchedAccess& access) {
  Shape shape;
  shape.kind = kind_of(access);
  shape.by = task.clock.name();
  shape.issued = task.clock.access();
  shape.source = sources_.of_context(access.context);
  tasks_.stepped(task);
  const std::uint64_t now = task.clock.time().counter;
  if (access.count == 1) return add_local(shape, now, access.begin, access.end);
  // All in one piece of memory of this rank, mostly.
  const Segment* const foreign = windows_.foreign_at_or_behind(access.begin);
  const Windows::Stretch here = windows_.own_at(access.begin);
  if ((foreign == nullptr || foreign->begin >= access.last()) && here.end >= access.last()) {
    shape.object = here.object;
    shape.step = access.step;
    shape.element = static_cast<std::uint32_t>(access.end - access.begin);
    Phase& home = home_of(here);
    home.add({access.begin, access.last(), now, home.shape(shape), home.ended(local_fate(shape))});
    return;
  }
  for (std::uint64_t k = 0; k < access.count; ++k) {
    add_local(shape, now, access.begin + k * access.step, access.end + k * access.step);
  }
}

Fate Job::local_fate(const Shape& shape) const {
  Fate fate;
  fate.completed = {tasks_.phase, kAtOnce};
  fate.completed_by = shape.by;
  return fate;
}

void Job::add_local(Shape& shape, std::uint64_t now, std::uint64_t from, std::uint64_t to) {
  const Fate fate = local_fate(shape);
  for (std::uint64_t at = from; at < to;) {
    const Segment* const segment = windows_.foreign_at_or_behind(at);
    const std::uint64_t begin = segment == nullptr ? to : segment->begin;
    if (begin > at) {  // of this rank: a window's, or perhaps an operation's buffer
      const Windows::Stretch here = windows_.own_at(at);
      const std::uint64_t end = std::min({begin, to, here.end});
      shape.object = here.object;
      Phase& home = home_of(here);
      home.add({at, end, now, home.shape(shape), home.ended(fate)});
      at = end;
      continue;
    }
    const std::uint64_t end = std::min(to, segment->begin + segment->size);
    const Piece piece{segment->offset + (at - segment->begin), end - at};
    shape.object = segment->window;
    Batch& batch = batch_for(segment->owner);
    batch.add({0, now, batch.shape(shape, std::span(&piece, 1)), batch.fate({fate, 0})});
    ++records_;
    at = end;
  }
}

SourceNumber Job::source(const LibraryCall& call) {
  if (call.thread == nullptr) return sources_.of_call(call.function, call.caller);
  return sources_.of_context(runtime_->where(call.thread));
}

// --- Order -------------------------------------------------------------------------------------------

std::shared_ptr<const Knowledge> Job::release(const LibraryCall& call) {
  const Step step(*this, call);
  std::shared_ptr<const Knowledge> given =
      std::make_shared<const Knowledge>(step.task->clock.told());
  tasks_.advance(*step.task, call.thread);
  if (!windows_.is_empty()) tell_if_due(*step.task);
  return given;
}

Knowledge Job::met(const LibraryCall& call, const Knowledge* learned) {
  const Step step(*this, call);
  if (learned != nullptr) {
    tasks_.advance(*step.task, call.thread);
    step.task->clock.acquire(*learned);
    tasks_.publish(*step.task);
  }
  Knowledge given = step.task->clock.told();
  tasks_.advance(*step.task, call.thread);
  return given;
}

void Job::told(const LibraryCall& call) {
  const Step step(*this, call);
  tasks_.advance(*step.task, call.thread);
  tell_if_due(*step.task);
}

void Job::waits(const LibraryCall& call) {
  const Step step(*this, call);
  if (!to_tell_.empty()) tell_all(*step.task);
}

void Job::acquire(const LibraryCall& call, const Knowledge& known) {
  const Step step(*this, call);
  tasks_.advance(*step.task, call.thread);
  step.task->clock.acquire(known);
  tasks_.publish(*step.task);
  turn(*step.task);
}

void Job::acquire_by_lock(const LibraryCall& call, const Knowledge& known) {
  const Step step(*this, call);
  tasks_.advance(*step.task, call.thread);
  step.task->clock.acquire_by_lock(known);
  tasks_.publish(*step.task);
  turn(*step.task);
}

void Job::locked(const LibraryCall& call, const RankLock& lock, const Knowledge& known) {
  acquire_by_lock(call, known);
  if (!options_.predicts) return;
  const Step step(*this, call);
  tasks_.hold(lock);
}

void Job::unlocked(const LibraryCall& call, const RankLock& lock) {
  if (!options_.predicts) return;
  const Step step(*this, call);
  tasks_.let_go(lock);
}

void Job::barrier_enter(const LibraryCall& call) {
  const Step step(*this, call);
  unknown_ = tasks_.unknown_to(*step.task);
  tasks_.advance(*step.task, call.thread);
  // What other threads do from now on is not before what follows the barrier.
  tasks_.phase = phase_number_ + 1;
  // Others may be long in coming, and go on meanwhile. Many records are better asked for, behind it.
  if (std::chrono::steady_clock::now() - left_at_ < kSoon) return;
  if (has_few()) {
    tell_all(*step.task, tasks_.phase);
  } else {
    claim(*step.task, tasks_.phase);
  }
}

bool Job::wants_exchange() const {
  if (gathered() == 0) return false;
  return phase_number_ < kFirstPhases || phase_number_ - exchanged_phase_ >= kMostPhases ||
         std::chrono::steady_clock::now() - exchanged_ > kLongestPhase;
}

void Job::barrier_leave(const LibraryCall& call) {
  const Step step(*this, call);
  const Want want = unsent_ != 0 ? kWithoutAsking : wants_exchange() ? kExchange : kNot;
  const Transport::Words all =
      transport_.largest({gathered(), unknown_.size(), phase_number_ + 1, want});
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
  left_at_ = told_at_ = std::chrono::steady_clock::now();
  if (all[kGathered] < options_.batch && all[kWanted] == kNot) return claim(*step.task);
  Knowledge of_all;
  of_all.enter(phase_number_, std::move(exceptions));
  if (all[kGathered] >= options_.worth_asking && all[kWanted] != kWithoutAsking) ask_owners(of_all);
  exchange();
  claims_.all_told(of_all);
  check(of_all);
}

void Job::finish(const LibraryCall& call) {
  const Step step(*this, call);
  tell_all(*step.task, phase_number_ + 1);  // others may be long in coming
  exchange();
  Knowledge of_all;
  of_all.enter(phase_number_ + 1);
  check(of_all);
}

}  // namespace redflag::pgas
