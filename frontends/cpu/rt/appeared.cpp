// Threads that appear: made inside libc, for a callback of the program (interpose/notify.cpp).
//
// Every thread here is forked by a known one, which detector, recordings and reports rely on. A
// thread that appears has no such parent: who asked for it is elsewhere, perhaps gone. So there is
// a source, a Thread that no system thread runs as. It is forked by the first thread that asks for
// callbacks, does nothing and acquires nothing, and forks the threads that appear. What orders a
// callback after the call that asked for it is a key, which the callback acquires.
//
// A timer may expire a million times, and what nobody knows the end of is kept for ever. So the
// source joins a thread that has ended when kRemembered more have appeared since: callbacks so far
// apart are ordered, and the others are not.
//
// The source knows the past of the first asker only, so what later happened before the call that
// asks is known by that key alone. It never ends, and holds down what all threads know from then
// on.
#include <sys/syscall.h>

#include "frontends/cpu/rt/runtime.h"
#include "frontends/cpu/rt/thread.h"

namespace redflag::rt {
namespace {

constinit live::SpinLock g_lock;
Thread* g_source = nullptr;
std::intptr_t g_process = 0;  // whose source it is: a fork leaves it behind
// The latest that appeared, in turn.
Thread* g_latest[kRemembered] = {};
std::uint32_t g_appeared = 0;

// Under the lock.
Thread* source() {
  return g_process == live::os_syscall(SYS_getpid) ? g_source : nullptr;
}

// The source will not ask for it again.
void leave(Thread& from, Thread* child) {
  bool ended = false;
  {
    const live::Guard guard(g_runtime.threads_lock);
    ended = child->ended;
  }
  if (ended) {
    thread_joined(from, child);
  } else {
    thread_detached(from, child);
  }
}

}  // namespace

void source_needed(Thread& t) {
  const live::Guard guard(g_lock);
  if (source() != nullptr) return;
  g_source = thread_created(t, true);
  g_source->is_fiber = true;
  g_source->running = true;
  thread_named(*g_source, "libc");
  g_process = live::os_syscall(SYS_getpid);
  for (Thread*& one : g_latest) one = nullptr;
}

void hold_source() {
  g_lock.lock();
}
void free_source() {
  g_lock.unlock();
}

Thread* thread_appeared(std::uint32_t stack, std::uint32_t number) {
  if (g_hot.thread != nullptr || g_runtime.finished.load(std::memory_order_relaxed)) return nullptr;
  const live::Guard guard(g_lock);
  Thread* const from = source();
  if (from == nullptr) return nullptr;
  take_over(*from);
  Thread*& place = g_latest[g_appeared++ % kRemembered];
  if (place != nullptr) leave(*from, place);
  Thread* const child = place = thread_created(*from, false);
  let_go(*from);
  const live::Guard threads(g_runtime.threads_lock);
  child->has_appeared = true;
  child->created = stack;
  child->parent = number;
  return child;
}

}  // namespace redflag::rt
