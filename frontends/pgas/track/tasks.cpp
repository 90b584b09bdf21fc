#include "frontends/pgas/track/tasks.h"

#include <algorithm>

namespace redflag::pgas {
namespace {

constexpr std::ptrdiff_t kMostPublished = 4096;

}

Task& Tasks::of_slot(std::uint32_t slot) {
  if (slot >= tasks_.size()) tasks_.resize(slot + 1);
  if (tasks_[slot] == nullptr) {
    tasks_[slot] = std::make_unique<Task>(ThreadName{rank_, slot});
    for (const RankLock& each : held_) tasks_[slot]->clock.hold(each);
  }
  return *tasks_[slot];
}

void Tasks::hold(const RankLock& lock) {
  held_.push_back(lock);
  for (const auto& each : tasks_) {
    if (each != nullptr) each->clock.hold(lock);
  }
}

void Tasks::let_go(const RankLock& lock) {
  const auto at = std::find(held_.begin(), held_.end(), lock);
  if (at == held_.end()) return;
  held_.erase(at);
  for (const auto& each : tasks_) {
    if (each != nullptr) each->clock.let_go(lock);
  }
}

Task& Tasks::now(void* thread) {
  if (thread == nullptr) return of_slot(0);
  abi::WatchedMoment moment;
  runtime_->now(thread, &moment);
  return at(moment);
}

Task& Tasks::at(const abi::WatchedMoment& moment) {
  Task& task = of_slot(moment.slot);
  if (task.clock.time().counter != moment.counter) task.clock.move_to(moment.counter);
  if (task.seen.size() < moment.size) task.seen.resize(moment.size);
  // First what they had learned from other ranks: a phase that was entered since says nothing of the
  // counters that follow.
  bool has_learned = false;
  for (std::uint32_t slot = 0; slot < moment.size; ++slot) {
    if (slot == moment.slot || moment.clocks[slot] <= task.seen[slot]) continue;
    const auto& all = of_slot(slot).published;
    const auto behind = std::upper_bound(
        all.begin(), all.end(), moment.clocks[slot],
        [](std::uint64_t c, const Task::Published& each) { return c < each.from; });
    if (behind == all.begin()) continue;
    task.clock.acquire(*std::prev(behind)->known);
    has_learned = true;
  }
  for (std::uint32_t slot = 0; slot < moment.size; ++slot) {
    if (slot == moment.slot || moment.clocks[slot] <= task.seen[slot]) continue;
    task.seen[slot] = moment.clocks[slot];
    task.clock.learn({rank_, slot}, moment.clocks[slot]);
  }
  if (has_learned) publish(task);
  return task;
}

Task& Tasks::then(const abi::WatchedMoment& moment, void* thread) {
  if (!runtime_->is_alone()) return at(moment);
  // Its accesses since its last step, and so behind all that it issued before.
  Task& task = now(thread);
  if (task.clock.is_under_way()) advance(task, thread);
  return task;
}

void Tasks::issued(Task& task, void* thread) {
  if (thread == nullptr) return;
  if (runtime_->is_alone()) {
    stepped(task);
    runtime_->note_again(thread);
  } else {
    advance(task, thread);
  }
}

void Tasks::advance(Task& task, void* thread) {
  stepped(task);
  if (thread == nullptr) {
    task.clock.move_to(task.clock.time().counter + 1);
    return;
  }
  runtime_->advance(thread);
  abi::WatchedMoment moment;
  runtime_->now(thread, &moment);
  task.clock.move_to(moment.counter);
}

void Tasks::publish(Task& task) {
  const std::uint64_t from = task.clock.time().counter;
  auto known = std::make_shared<const Knowledge>(task.clock.known());
  // A thread that begins knows all that the only one there was knows now.
  if (runtime_ == nullptr || runtime_->is_alone()) task.published.clear();
  if (!task.published.empty() && task.published.back().from == from) {
    task.published.back().known = std::move(known);
  } else {
    task.published.push_back({from, std::move(known)});
  }
  // A thread that learns now what was published so long ago knows less than it could.
  if (std::ssize(task.published) > kMostPublished) {
    task.published.erase(task.published.begin(), task.published.begin() + kMostPublished / 2);
  }
}

std::vector<ThreadName> Tasks::unknown_to(const Task& task) const {
  std::vector<ThreadName> unknown;
  for (const auto& each : tasks_) {
    if (each == nullptr || each.get() == &task || each->last_step.counter == 0) {
      continue;
    }
    if (!task.clock.known().knows(each->clock.name(), each->last_step)) {
      unknown.push_back(each->clock.name());
    }
  }
  return unknown;
}

// A thread may still do more at its present counter.
Claim Tasks::claim(const Task& task, bool for_certain) {
  Claim made;
  made.has_threads = runtime_ != nullptr && runtime_->threads() > 1;
  const auto least_of = [&](const Task& one) {
    return for_certain ? one.clock.told().only_certain() : one.clock.told();
  };
  made.least.push_back(least_of(task));
  const std::vector<ThreadName> unknown = unknown_to(task);
  for (const auto& each : tasks_) {
    if (each == nullptr) continue;
    const ThreadName name = each->clock.name();
    each->told =
        std::max({each->told, each->clock.time().counter - 1, task.clock.known().counter_of(name)});
    made.told.push_back({name, each->told});
    if (std::find(unknown.begin(), unknown.end(), name) != unknown.end()) {
      made.least.push_back(least_of(*each));
    }
  }
  return made;
}

}  // namespace redflag::pgas
