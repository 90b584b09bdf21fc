#include "frontends/cpu/openmp/depend.h"

#include "frontends/cpu/openmp/model.h"

namespace redflag::openmp {

namespace {

void drop(List<Task*>& tasks) {
  for (Task* task : tasks) release(task);
  tasks.clear();
}

void hold(List<Task*>& tasks, Task& task) {
  if (!tasks.empty() && tasks.end()[-1] == &task) return;  // the same clause twice
  retain(task);
  tasks.push(&task);
}

void wait_for(Task& task, List<Task*>& earlier) {
  for (Task* one : earlier) {
    if (one != &task) hold(task.predecessors, *one);
  }
}

std::size_t hash(const void* address) {
  return static_cast<std::size_t>(
      (reinterpret_cast<std::uintptr_t>(address) >> 2) * 0x9E3779B97F4A7C15u >> 20);
}

}  // namespace

void Dependences::add(Task& task, void* address, Depend type) {
  task.depends = true;
  if (type == Depend::kAllMemory) return all_memory(task);
  Generation& at = find(address);
  const bool set = type == Depend::kMutexInOutSet || type == Depend::kInOutSet;
  if (type == Depend::kIn) {
    wait_for(task, at.writers);
    hold(at.readers, task);
  } else if (set && at.type == type && at.readers.empty() && !at.writers.empty()) {
    wait_for(task, at.before);
    hold(at.writers, task);
  } else {
    // Readers waited for the writers before them, so waiting for the readers is enough.
    List<Task*>& last = at.readers.empty() ? at.writers : at.readers;
    wait_for(task, last);
    drop(at.before);
    if (set) at.before.swap(last);
    drop(at.writers);
    drop(at.readers);
    at.type = type;
    hold(at.writers, task);
  }
  if (type == Depend::kMutexInOutSet) task.exclusive.push(address);
}

void Dependences::all_memory(Task& task) {
  for (std::size_t i = 0; i < capacity_; ++i) {
    if (!slots_[i]) continue;
    wait_for(task, slots_[i]->writers);
    wait_for(task, slots_[i]->readers);
  }
  if (everything_) hold(task.predecessors, *everything_);
  retain(task);  // before forget(): it may be the last that holds it
  forget();
  everything_ = &task;
}

Dependences::Generation& Dependences::find(void* address) {
  if (size_ * 2 >= capacity_) grow();
  std::size_t i = hash(address) & (capacity_ - 1);
  for (; slots_[i]; i = (i + 1) & (capacity_ - 1)) {
    if (slots_[i]->address == address) return *slots_[i];
  }
  slots_[i] = make<Generation>();
  slots_[i]->address = address;
  if (everything_) hold(slots_[i]->writers, *everything_);
  ++size_;
  return *slots_[i];
}

void Dependences::grow() {
  const std::size_t old_capacity = capacity_;
  Generation** old = slots_;
  capacity_ = old_capacity ? old_capacity * 2 : 16;
  slots_ = static_cast<Generation**>(take(capacity_ * sizeof(Generation*)));
  for (std::size_t i = 0; i < capacity_; ++i) slots_[i] = nullptr;
  for (std::size_t i = 0; i < old_capacity; ++i) {
    if (!old[i]) continue;
    std::size_t to = hash(old[i]->address) & (capacity_ - 1);
    while (slots_[to]) to = (to + 1) & (capacity_ - 1);
    slots_[to] = old[i];
  }
  if (old) give(old, old_capacity * sizeof(Generation*));
}

void Dependences::forget() {
  for (std::size_t i = 0; i < capacity_; ++i) {
    Generation* at = slots_[i];
    if (!at) continue;
    drop(at->before);
    drop(at->writers);
    drop(at->readers);
    at->~Generation();
    give(at, sizeof(Generation));
  }
  if (slots_) give(slots_, capacity_ * sizeof(Generation*));
  slots_ = nullptr;
  capacity_ = size_ = 0;
  if (everything_) release(everything_);
  everything_ = nullptr;
}

}  // namespace redflag::openmp
