#include "frontends/cpu/openmp/testing.h"

#include <algorithm>
#include <cstdio>

namespace redflag::openmp {

namespace {

FakeRuntime* now = nullptr;

void join(std::vector<unsigned>& into, const std::vector<unsigned>& from) {
  if (into.size() < from.size()) into.resize(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) into[i] = std::max(into[i], from[i]);
}

}  // namespace

FakeRuntime::FakeRuntime() {
  now = this;
}

FakeRuntime::~FakeRuntime() {
  now = nullptr;
  for (rt::Thread* thread : threads) delete thread;
}

rt::Thread* FakeRuntime::new_thread(const rt::Thread* parent) {
  auto* thread = new rt::Thread;
  if (parent) thread->clock = parent->clock;
  thread->index = threads.size();
  thread->clock.resize(std::max(thread->clock.size(), thread->index + 1));
  thread->clock[thread->index] = 1;
  threads.push_back(thread);
  return thread;
}

Step FakeRuntime::step() {
  const Step step{self->index, self->clock[self->index]};
  ++self->clock[self->index];
  return step;
}

bool FakeRuntime::knows(const Step& step) const {
  return step.thread < self->clock.size() && self->clock[step.thread] >= step.time;
}

}  // namespace redflag::openmp

namespace redflag::rt {

using openmp::now;

Thread* self() {
  return now->self;
}
void acquire(Thread& t, SyncKey key) {
  if (now->keys.count(key)) openmp::join(t.clock, now->keys[key]);
}
void release(Thread& t, SyncKey key) {
  openmp::join(now->keys[key], t.clock);
  ++t.clock[t.index];
}
void release_store(Thread& t, SyncKey key) {
  now->keys[key] = t.clock;
  ++t.clock[t.index];
}
void lock_acquired(Thread& t, void* lock, LockMode, int) {
  acquire(t, reinterpret_cast<SyncKey>(lock));
}
void lock_released(Thread& t, void* lock, LockMode) {
  release(t, reinterpret_cast<SyncKey>(lock));
}
Thread* fiber_created(Thread& t) {
  ++now->fibers;
  Thread* fiber = now->new_thread(&t);
  ++t.clock[t.index];
  return fiber;
}
void fiber_destroyed(Thread&, Thread*) {
  --now->fibers;
}
void fiber_switched(Thread&, Thread* fiber, bool) {
  now->self = fiber;
}
void memory_replaced(volatile void* p, std::size_t n) {
  if (!now) return;
  const auto at = reinterpret_cast<std::uintptr_t>(p);
  now->replaced.emplace_back(at, n);
  now->keys.erase(now->keys.lower_bound(at), now->keys.lower_bound(at + n));
}
void say(const char* message) {
  std::fprintf(stderr, "%s\n", message);
}

}  // namespace redflag::rt
