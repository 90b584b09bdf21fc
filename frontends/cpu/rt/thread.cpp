// Threads come and go.
#include "frontends/cpu/rt/thread.h"

#include <link.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "frontends/cpu/rt/between.h"
#include "frontends/cpu/rt/hold.h"
#include "frontends/cpu/rt/locality.h"
#include "frontends/cpu/rt/record.h"
#include "frontends/cpu/rt/sampling.h"

extern "C" {
extern char** environ;
}

namespace redflag::rt {

// Calls compiled by our own pass count nothing in threads that we do not know: they write their
// frame where all such write theirs.
live::Frame g_nobody[2];
constinit thread_local live::Hot g_hot{
    .top = g_nobody + 1, .limit = g_nobody + 1, .beyond = kNobody};

namespace {

void add(Thread& t) {
  const live::Guard guard(g_runtime.threads_lock);
  t.number = g_runtime.thread_count++;
  t.next = g_runtime.threads;
  if (t.next != nullptr) t.next->previous = &t;
  g_runtime.threads = &t;
}

// Unlinks t; the caller holds the lock.
void unlink(Thread& t) {
  (t.previous != nullptr ? t.previous->next : g_runtime.threads) = t.next;
  if (t.next != nullptr) t.next->previous = t.previous;
}

void dispose(Thread& t) {
  between_forget(t);
  if (t.live != nullptr) g_runtime.detector.free(*t.live);
  g_runtime.detector.arena.give(&t, sizeof(Thread));
}

// t has ended and nobody will ask for its clock: it is only remembered, the oldest such is not.
void retire(Thread& t) {
  Thread* oldest = nullptr;
  {
    const live::Guard guard(g_runtime.threads_lock);
    t.joined = true;
    if (++g_runtime.ended_count > kRemembered) {
      // Newest first: the last such in the list is the oldest.
      for (Thread* u = g_runtime.threads; u != nullptr; u = u->next) {
        if (u->ended && u->joined) oldest = u;
      }
      if (oldest != nullptr) {
        unlink(*oldest);
        --g_runtime.ended_count;
      }
    }
  }
  if (oldest != nullptr) dispose(*oldest);
}

// At most: the thread-local storage of what is loaded at the start, which lies below the thread's
// descriptor.
std::uint64_t static_tls_size() {
  std::uint64_t size = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* sum) {
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const ElfW(Phdr)& segment = info->dlpi_phdr[i];
          if (segment.p_type != PT_TLS) continue;
          *static_cast<std::uint64_t*>(sum) += segment.p_memsz + segment.p_align;
        }
        return 0;
      },
      &size);
  return size;
}

// `first`: above all frames of what the thread will call, and below its thread-local storage.
void know_stack(Thread& t, std::uint64_t first) {
  pthread_attr_t attributes;
  void* low = nullptr;
  std::size_t size = 0;
  live::Thread* const mine = g_hot.thread;
  g_hot.thread = nullptr;  // what pthread_getattr_np allocates is nobody's business
  if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
    if (pthread_attr_getstack(&attributes, &low, &size) == 0) {
      t.stack_low = reinterpret_cast<std::uint64_t>(low);
      t.stack_high = t.stack_low + size;
    }
    pthread_attr_destroy(&attributes);
  }
  g_hot.thread = mine;
  // Thread-local storage and the thread's descriptor lie at the top of what libc mapped.
  std::uint64_t self = 0;
  asm("mov %%fs:0, %0" : "=r"(self));
  t.tls_high = self;
  t.tls_low = self > t.stack_low && self < t.stack_high ? first : self - static_tls_size();
}

}  // namespace

// The kernel put the environment above the first frame; the stack may grow down to its limit. No
// library function would tell without allocating.
void know_main_stack(Thread& t) {
  const char* top = reinterpret_cast<const char*>(environ);
  for (char** e = environ; e != nullptr && *e != nullptr; ++e) {
    if (*e > top) top = *e;
  }
  rlimit limit{};
  live::os_syscall(SYS_getrlimit, RLIMIT_STACK, reinterpret_cast<long>(&limit));
  constexpr std::uint64_t kMost = std::uint64_t{64} << 20;
  const auto high = reinterpret_cast<std::uint64_t>(top);
  t.stack_high = (high + 8192) & ~std::uint64_t{4095};
  t.stack_low = t.stack_high - (limit.rlim_cur < kMost ? limit.rlim_cur : kMost);
  std::uint64_t self = 0;
  asm("mov %%fs:0, %0" : "=r"(self));
  t.tls_high = self;
  t.tls_low = self - static_tls_size();
}

Thread* find_thread(std::uint32_t number) {
  for (Thread* t = g_runtime.threads; t != nullptr; t = t->next) {
    if (t->number == number) return t;
  }
  return nullptr;
}

void start_checking(live::Thread& t) {
  t.everything_slow = g_runtime.everything_slow();
  t.ignore_accesses = g_checks_no_access ? 1 : 0;
  t.own_hot.me = t.everything_slow ? live::kNobody : t.view.me;
}

void take_over(Thread& t) {
  g_hot = t.live->own_hot;
  t.live->hot = &g_hot;
  g_hot.me = t.live->everything_slow ? live::kNobody : t.live->view.me;
  g_hot.thread = t.live;
  look_at_locality();
  library_ends();
}

void let_go(Thread& t) {
  library_begins();
  t.live->own_hot = g_hot;
  t.live->hot = &t.live->own_hot;
  g_hot.thread = nullptr;
  g_hot.me = live::kNobody;
  live::os_zero(g_hot.seen, sizeof(g_hot.seen));
  g_hot.top = g_hot.limit = g_nobody + 1;
  g_hot.changes = &live::g_no_changes;
  g_hot.beyond = 2 * kNobody;
}

Thread* thread_created(Thread& parent, bool detached) {
  live::Detector& d = g_runtime.detector;
  d.world.enter(*parent.live);  // no signal handler in the middle of it
  // Steps that were put off while it was alone (watch.cpp) are not those that the new thread knows of; and
  // what was left out then is not any more.
  if (g_runtime.thread_count == 1 && d.listener.any()) d.advance(*parent.live);
  d.listener.is_all = d.listener.takes_ranges = false;
  auto* t = static_cast<Thread*>(g_runtime.detector.arena.take(sizeof(Thread)));
  *t = Thread{};
  t->parent = parent.number;
  t->detached = detached;
  t->created = where(parent);
  add(*t);
  record_simple(parent, EventKind::kFork, t->number);
  step_thread(parent, EventKind::kFork, *t);
  t->live = g_runtime.detector.create(parent.live, t->number);
  t->live->owner = t;
  start_checking(*t->live);
  all_memory_becomes_common();
  d.world.leave(*parent.live);
  return t;
}

void thread_not_started(Thread&, Thread* child) {
  g_runtime.detector.end(*child->live);
  child->ended = true;
  retire(*child);
}

void thread_begin(Thread* child, const void* frame) {
  if (child == nullptr) return;
  g_hot.beyond = 2 * kNobody;  // known in a moment
  child->tid = static_cast<std::uint32_t>(live::os_syscall(SYS_gettid));
  // Its caller, a few words above this frame, calls the thread's function next.
  if (frame == nullptr) frame = static_cast<const char*>(__builtin_frame_address(0)) + 64;
  know_stack(*child, reinterpret_cast<std::uint64_t>(frame));
  if (child->stack_low != 0) {
    memory_remapped(reinterpret_cast<void*>(child->stack_low),
                    child->stack_high - child->stack_low);
  }
  child->running = true;
  take_over(*child);
  record_stack(*child);
}

void thread_end(Thread* child) {
  if (child == nullptr || child->ended) return;
  hold_left(*child);
  record_simple(*child, EventKind::kThreadEnd, 0);
  step_thread(*child, EventKind::kThreadEnd, *child);
  let_go(*child);
  live::Detector& d = g_runtime.detector;
  d.end(*child->live);
  // Its stack's past stays until another thread begins on it: others may have accessed it, and not
  // checked that yet.
  bool gone = false;
  {
    const live::Guard guard(g_runtime.threads_lock);
    child->running = false;
    child->ended = true;
    gone = child->detached;
  }
  if (gone) retire(*child);
}

void thread_joining(Thread& t, Thread* child) {
  live::Thread& me = *t.live;
  if (child != nullptr && me.ignore_sync == 0) {
    me.joining.store(child->number + 1, std::memory_order_release);
  } else {
    // Not in the middle of a sweep that counts on it.
    g_runtime.detector.world.enter(me);
    me.joining.store(0, std::memory_order_relaxed);
    g_runtime.detector.world.leave(me);
  }
}

void thread_joined(Thread& t, Thread* child) {
  if (child == nullptr) return;
  // The system thread is gone; its last step in here may be a moment away.
  for (;;) {
    {
      const live::Guard guard(g_runtime.threads_lock);
      if (child->ended) break;
    }
    live::os_yield();
  }
  if (t.live->ignore_sync == 0) {
    record_simple(t, EventKind::kJoin, child->number);
    step_thread(t, EventKind::kJoin, *child);
    g_runtime.detector.joined(*t.live, *child->live);
  }
  g_runtime.detector.world.enter(*t.live);
  retire(*child);
  g_runtime.detector.world.leave(*t.live);
}

void thread_detached(Thread&, Thread* child) {
  if (child == nullptr) return;
  bool gone = false;
  {
    const live::Guard guard(g_runtime.threads_lock);
    if (child->detached) return;
    child->detached = true;
    gone = child->ended;
  }
  if (gone) retire(*child);
}

void thread_named(Thread& t, const char* name) {
  const live::Guard guard(g_runtime.threads_lock);
  std::size_t i = 0;
  for (; i + 1 < sizeof(t.name) && name[i] != 0; ++i) t.name[i] = name[i];
  t.name[i] = 0;
  between_renamed(t);
}

// --- Fibers ----------------------------------------------------------------------------------------

Thread* fiber_created(Thread& t) {
  Thread* fiber = thread_created(t, true);
  fiber->is_fiber = true;
  fiber->running = true;
  return fiber;
}

void fiber_destroyed(Thread&, Thread* fiber) {
  if (fiber == nullptr || fiber->ended) return;
  record_simple(*fiber, EventKind::kThreadEnd, 0);
  step_thread(*fiber, EventKind::kThreadEnd, *fiber);
  g_runtime.detector.end(*fiber->live);
  {
    const live::Guard guard(g_runtime.threads_lock);
    fiber->running = false;
    fiber->ended = true;
  }
  retire(*fiber);
}

void fiber_switched(Thread& t, Thread* fiber, bool ordered) {
  if (fiber == nullptr || fiber == &t) return;
  const auto key = reinterpret_cast<SyncKey>(fiber);
  if (ordered) release(t, key);
  fiber->tid = t.tid;
  let_go(t);
  take_over(*fiber);
  if (ordered) acquire(*fiber, key);
}

}  // namespace redflag::rt
