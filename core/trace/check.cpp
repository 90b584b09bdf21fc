#include "core/trace/check.h"

#include <algorithm>
#include <charconv>

#include "core/trace/text_writer.h"
#include "core/trace/validate.h"

namespace redflag {
namespace {

std::string hex(std::uint64_t value) {
  char digits[16];
  const std::to_chars_result end = std::to_chars(digits, digits + sizeof(digits), value, 16);
  std::string text("0x");
  text.append(digits, end.ptr);
  return text;
}

// The event as in the text form, for a message; an event that has no text form by its numbers.
std::string shown(const Event& e) {
  if (event_fault(e) == nullptr) return to_text(e);
  const auto kind = static_cast<unsigned>(e.kind);
  std::string text("T");
  text += std::to_string(raw(e.thread));
  text += ' ';
  text += kind < kEventKindCount ? std::string(name(e.kind)) : "kind " + std::to_string(kind);
  return text;
}

bool is_order_legal(const Event& e) {
  switch (e.kind) {
    case EventKind::kAtomicLoad:
      return e.order != Order::kRelease && e.order != Order::kAcqRel;
    case EventKind::kAtomicStore:
      return e.order != Order::kAcquire && e.order != Order::kAcqRel;
    case EventKind::kFence:
      return e.order != Order::kRelaxed;
    default:
      return true;
  }
}

}  // namespace

std::uint64_t StreamChecker::count(Severity severity) const {
  std::uint64_t total = 0;
  for (const StreamProblemInfo& row : kStreamProblems) {
    if (row.severity == severity) total += count(row.problem);
  }
  return total;
}

std::string StreamChecker::name(ThreadId thread) const {
  std::string text("T");
  text += std::to_string(raw(thread));
  if (const std::string known = sources_->thread_name(thread); !known.empty())
    text.append(" (").append(known).append(")");
  return text;
}

std::string StreamChecker::name(LockId lock) const {
  std::string text = hex(raw(lock));
  if (const std::string known = sources_->lock_name(lock); !known.empty())
    text.append(" (").append(known).append(")");
  return text;
}

void StreamChecker::report(StreamProblem problem, const Event& event, const std::string& detail) {
  if (counts_[static_cast<std::size_t>(problem)]++ >= options_.reports_per_problem) return;
  on_problem_({problem, EventIndex{events_},
               "event " + std::to_string(events_) + ": " + shown(event) + ": " +
                   std::string(info(problem).text) + (detail.empty() ? "" : ": " + detail)});
}

void StreamChecker::report_end(StreamProblem problem, const std::string& who,
                               const std::string& detail) {
  if (counts_[static_cast<std::size_t>(problem)]++ >= options_.reports_per_problem) return;
  on_problem_({problem, kNoIndex,
               "end of the trace: " + who + " " + std::string(info(problem).text) +
                   (detail.empty() ? "" : ": " + detail)});
}

StreamChecker::ThreadState& StreamChecker::state(ThreadId thread) {
  const std::size_t page = raw(thread) / kPageThreads;
  if (page >= threads_.size()) threads_.resize(page + 1);
  if (threads_[page] == nullptr) threads_[page] = std::make_unique<ThreadPage>();
  return (*threads_[page])[raw(thread) % kPageThreads];
}

void StreamChecker::add(std::span<const Event> events, const Sources& sources) {
  sources_ = &sources;
  for (const Event& event : events) {
    if (static_cast<int>(event.kind) >= kEventKindCount || raw(event.thread) >= kThreadLimit ||
        (info(event.kind).operand == Operand::kThread && event.object >= kThreadLimit)) {
      report(StreamProblem::kBadEvent, event);  // nothing else can be said about it
      ++events_;
      continue;
    }
    check_fields(event);
    check_thread(event);
    switch (event.kind) {
      case EventKind::kAcquire:
      case EventKind::kAcquireShared:
        check_acquire(event);
        break;
      case EventKind::kRelease:
      case EventKind::kReleaseShared:
        check_release(event);
        break;
      case EventKind::kFork:
        check_fork(event);
        break;
      case EventKind::kJoin:
        check_join(event);
        break;
      case EventKind::kBarrierEnter:
      case EventKind::kBarrierExit:
        check_barrier(event);
        break;
      case EventKind::kThreadEnd:
        state(event.thread) = ThreadState::kEnded;
        break;
      default:
        break;
    }
    ++events_;
  }
}

void StreamChecker::check_fields(const Event& event) {
  if (const char* what = event_fault(event)) {
    const EventKindInfo& kind = info(event.kind);
    if (kind.operand == Operand::kMemory && !is_range_valid(event.object, event.size)) {
      report(StreamProblem::kBadRange, event, what);
    } else if (raw(event.order) >= kOrderCount ||
               kind.has_order != (event.order != Order::kPlain)) {
      report(StreamProblem::kBadOrder, event, what);
    } else {
      report(StreamProblem::kBadEvent, event, what);
    }
  } else if (!is_order_legal(event)) {
    report(StreamProblem::kBadOrder, event);
  }
  const std::uint32_t source = raw(event.source);
  std::uint32_t& known = known_sources_[source % known_sources_.size()];
  if (source == known || event.source == kNoSource) return;
  if (sources_->node(event.source) != nullptr) {
    known = source;
  } else {
    report(StreamProblem::kUnknownSource, event);
  }
}

void StreamChecker::check_thread(const Event& event) {
  ThreadState& now = state(event.thread);
  switch (now) {
    case ThreadState::kRunning:
      return;
    case ThreadState::kForked:
      break;
    case ThreadState::kUnknown:
      if (event.thread != kMainThread && !options_.roots_allowed)
        report(StreamProblem::kThreadNotStarted, event);
      break;
    case ThreadState::kEnded:
      report(StreamProblem::kThreadEnded, event);
      break;
    case ThreadState::kJoined:
      // Stays joined: its join counts, whatever it does afterwards.
      report(StreamProblem::kThreadJoined, event);
      return;
  }
  now = ThreadState::kRunning;
}

// Only for messages that are shown: it may look at every holder.
std::string StreamChecker::other_holder(const Lock& lock, ThreadId self, bool exclusive) const {
  for (const auto& [thread, hold] : lock.holds) {
    if (thread != self && (!exclusive || hold.exclusive > 0)) return name(thread);
  }
  return "nobody";
}

void StreamChecker::check_acquire(const Event& event) {
  const bool shared = event.kind == EventKind::kAcquireShared;
  Lock& lock = locks_[event.lock()];
  const auto [entry, is_new] = lock.holds.try_emplace(event.thread);
  Hold& mine = entry->second;
  const std::size_t others =
      shared ? lock.exclusive_holders - (mine.exclusive > 0 ? 1 : 0) : lock.holds.size() - 1;
  if (others > 0) {
    const StreamProblem problem =
        shared ? StreamProblem::kAcquireSharedHeld : StreamProblem::kAcquireHeld;
    report(problem, event,
           is_shown(problem)
               ? name(event.lock()) + " is held by " + other_holder(lock, event.thread, shared)
               : "");
  }
  if (!shared && mine.exclusive == 0) ++lock.exclusive_holders;
  ++(shared ? mine.shared : mine.exclusive);
}

void StreamChecker::check_release(const Event& event) {
  const bool shared = event.kind == EventKind::kReleaseShared;
  const auto entry = locks_.find(event.lock());
  if (entry == locks_.end()) {
    report(StreamProblem::kReleaseNotHeld, event, "nobody holds " + name(event.lock()));
    return;
  }
  Lock& lock = entry->second;
  const auto mine = lock.holds.find(event.thread);
  if (mine == lock.holds.end()) {
    report(StreamProblem::kReleaseNotHeld, event,
           name(event.lock()) + " is held by " + name(lock.holds.begin()->first));
    return;
  }
  Hold& hold = mine->second;
  std::uint32_t* times = shared ? &hold.shared : &hold.exclusive;
  if (*times == 0) {
    report(StreamProblem::kReleaseOtherMode, event);
    times = shared ? &hold.exclusive : &hold.shared;
  }
  --*times;
  if (times == &hold.exclusive && *times == 0) --lock.exclusive_holders;
  if (hold.exclusive == 0 && hold.shared == 0) lock.holds.erase(mine);
  if (lock.holds.empty()) locks_.erase(entry);
}

void StreamChecker::check_fork(const Event& event) {
  if (event.other() == event.thread) {
    report(StreamProblem::kForkItself, event);
    return;
  }
  ThreadState& other = state(event.other());
  // T0 has started before the first event.
  if (other != ThreadState::kUnknown || event.other() == kMainThread) {
    report(StreamProblem::kForkStarted, event);
    return;
  }
  other = ThreadState::kForked;
}

void StreamChecker::check_join(const Event& event) {
  if (event.other() == event.thread) {
    report(StreamProblem::kJoinItself, event);
    return;
  }
  ThreadState& other = state(event.other());
  if (other == ThreadState::kUnknown && event.other() != kMainThread)
    report(StreamProblem::kJoinNotStarted, event);
  if (other == ThreadState::kJoined) report(StreamProblem::kJoinTwice, event);
  other = ThreadState::kJoined;
}

void StreamChecker::check_barrier(const Event& event) {
  const Inside inside{event.barrier(), event.thread};
  if (event.kind == EventKind::kBarrierEnter) {
    if (!barriers_.insert(inside).second) report(StreamProblem::kBarrierEnter, event);
  } else if (barriers_.erase(inside) == 0) {
    report(StreamProblem::kBarrierExit, event);
  }
}

void StreamChecker::finish(const Sources& sources) {
  sources_ = &sources;
  std::vector<std::pair<LockId, ThreadId>> held;
  for (const auto& [id, lock] : locks_) {
    for (const auto& [thread, hold] : lock.holds) held.emplace_back(id, thread);
  }
  std::sort(held.begin(), held.end());  // the same report for the same trace
  for (const auto& [lock, thread] : held)
    report_end(StreamProblem::kLockHeldAtEnd, name(thread), name(lock));
  for (std::size_t page = 0; page < threads_.size(); ++page) {
    if (threads_[page] == nullptr) continue;
    for (std::size_t i = 0; i < kPageThreads; ++i) {
      const ThreadId thread{static_cast<std::uint32_t>(page * kPageThreads + i)};
      const ThreadState last = (*threads_[page])[i];
      if (thread != kMainThread && last != ThreadState::kUnknown && last != ThreadState::kJoined)
        report_end(StreamProblem::kThreadNotJoined, name(thread), "");
    }
  }
}

}  // namespace redflag
