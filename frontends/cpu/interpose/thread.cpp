// Threads: made, ended, joined, detached, named.
//
// A new thread starts in thread_main, which makes it known to the runtime and leaves a value under
// a key of ours. The key's destructor puts the value back as often as POSIX promises to look again
// (four times), so the runtime says farewell after the destructors of the program's own keys and
// thread_local objects: they are the thread's work too.
//
// The table maps handles of joinable threads to the runtime's records. Either the parent or the
// child enters a new thread, whoever comes first, because both may pass the handle on. A joiner
// takes the entry out before the real join: from then on the handle may name a new thread.
#include <pthread.h>

#include <climits>
#include <ctime>

#include "frontends/cpu/interpose/cancel.h"
#include "frontends/cpu/interpose/intercept.h"
#include "frontends/cpu/interpose/parts.h"

namespace redflag::interpose {
namespace {

constexpr std::size_t kPage = 4096;

// What the parent hands to the child. Both let it go; the last one returns it to the pool.
struct Start {
  Start* next;
  rt::Thread* child;
  Routine routine;
  void* argument;
  int entered;  // 0 no, 1 someone is at it, 2 in the table
  int users;
  bool joinable;
};

// Handles of joinable threads, by open addressing. Slots: key 0 free, 1 taken out.
class ThreadTable {
 public:
  SpinLock lock;

  void put(pthread_t handle, rt::Thread* thread) {
    SpinGuard guard(lock);
    if (2 * (used_ + 1) > room_) rebuild();
    if (used_ < room_) insert(handle, thread);
  }

  rt::Thread* take(pthread_t handle) {
    SpinGuard guard(lock);
    Entry* const e = find(handle);
    if (e == nullptr) return nullptr;
    e->handle = kGone;
    --live_;
    return e->thread;
  }

  rt::Thread* get(pthread_t handle) {
    SpinGuard guard(lock);
    const Entry* const e = find(handle);
    return e == nullptr ? nullptr : e->thread;
  }

 private:
  struct Entry {
    pthread_t handle;
    rt::Thread* thread;
  };
  static constexpr pthread_t kFree = 0;
  static constexpr pthread_t kGone = 1;

  static std::size_t hash(pthread_t handle) { return (handle >> 6) * 0x9E3779B97F4A7C15ull >> 20; }

  Entry* find(pthread_t handle) {
    if (room_ == 0) return nullptr;
    for (std::size_t i = hash(handle);; ++i) {
      Entry& e = at_[i & (room_ - 1)];
      if (e.handle == handle) return &e;
      if (e.handle == kFree) return nullptr;
    }
  }

  void insert(pthread_t handle, rt::Thread* thread) {
    for (std::size_t i = hash(handle);; ++i) {
      Entry& e = at_[i & (room_ - 1)];
      if (e.handle != kFree && e.handle != kGone) continue;
      if (e.handle == kFree) ++used_;
      ++live_;
      e = {handle, thread};
      return;
    }
  }

  // Drops what was taken out, and doubles if it is still half full.
  void rebuild() {
    const std::size_t room = room_ == 0                ? kPage / sizeof(Entry)
                             : 4 * (live_ + 1) > room_ ? 2 * room_
                                                       : room_;
    auto* const fresh = static_cast<Entry*>(map_pages(room * sizeof(Entry)));
    if (fresh == nullptr) return;
    Entry* const old = at_;
    const std::size_t old_room = room_;
    at_ = fresh;
    room_ = room;
    used_ = live_ = 0;
    for (std::size_t i = 0; i < old_room; ++i) {
      if (old[i].handle != kFree && old[i].handle != kGone) insert(old[i].handle, old[i].thread);
    }
    if (old != nullptr) unmap_pages(old, old_room * sizeof(Entry));
  }

  Entry* at_ = nullptr;
  std::size_t room_ = 0;  // a power of two
  std::size_t used_ = 0;  // not free: live or taken out
  std::size_t live_ = 0;
};

ThreadTable table;
SpinLock pool_lock;
Start* pool = nullptr;
pthread_key_t end_key;
bool end_key_made = false;
thread_local rt::Thread* this_child = nullptr;

Start* take_start() {
  SpinGuard guard(pool_lock);
  if (pool == nullptr) {
    auto* const fresh = static_cast<Start*>(map_pages(kPage));
    if (fresh == nullptr) return nullptr;
    for (std::size_t i = 0; i < kPage / sizeof(Start); ++i) {
      fresh[i].next = pool;
      pool = &fresh[i];
    }
  }
  Start* const s = pool;
  pool = s->next;
  return s;
}

void let_go(Start* s) {
  if (__atomic_sub_fetch(&s->users, 1, __ATOMIC_ACQ_REL) != 0) return;
  SpinGuard guard(pool_lock);
  s->next = pool;
  pool = s;
}

void enter(Start* s, pthread_t handle) {
  int expected = 0;
  if (__atomic_compare_exchange_n(&s->entered, &expected, 1, false, __ATOMIC_ACQUIRE,
                                  __ATOMIC_ACQUIRE)) {
    if (s->joinable) table.put(handle, s->child);
    __atomic_store_n(&s->entered, 2, __ATOMIC_RELEASE);
  }
  while (__atomic_load_n(&s->entered, __ATOMIC_ACQUIRE) != 2) __builtin_ia32_pause();
}

void thread_ends(void* rounds) {
  const auto left = reinterpret_cast<std::uintptr_t>(rounds);
  if (left > 1) {
    pthread_setspecific(end_key, reinterpret_cast<void*>(left - 1));
    return;
  }
  rt::Thread* const child = this_child;
  this_child = nullptr;
  rt::thread_end(child);
  forget_jumps();
  forget_pending_signals();
}

void* thread_main(void* argument) {
  auto* const s = static_cast<Start*>(argument);
  rt::thread_begin(s->child);
  this_child = s->child;
  if (end_key_made) {
    pthread_setspecific(end_key, reinterpret_cast<void*>(PTHREAD_DESTRUCTOR_ITERATIONS));
  }
  enter(s, pthread_self());
  const Routine routine = s->routine;
  void* const its_argument = s->argument;
  let_go(s);
  if (routine.posix != nullptr) return routine.posix(its_argument);
  return reinterpret_cast<void*>(static_cast<std::intptr_t>(routine.c11(its_argument)));
}

}  // namespace

void thread_found(std::uint32_t stack, std::uint32_t maker, const void* frame) {
  rt::Thread* const child = rt::thread_appeared(stack, maker);
  if (child == nullptr) return;
  rt::thread_begin(child, frame);
  this_child = child;
  if (end_key_made) {
    pthread_setspecific(end_key, reinterpret_cast<void*>(PTHREAD_DESTRUCTOR_ITERATIONS));
  }
}

void start_threads() {
  end_key_made = pthread_key_create(&end_key, &thread_ends) == 0;
}

void lock_thread_table() {
  table.lock.lock();
  pool_lock.lock();
}

void unlock_thread_table() {
  pool_lock.unlock();
  table.lock.unlock();
}

REDFLAG_INTERCEPT(int, pthread_create, pthread_t* handle, const pthread_attr_t* attributes,
                  void* (*routine)(void*), void* argument) {
  // Workers of an OpenMP library run the program's code.
  const rt::LibraryCall call(reinterpret_cast<const void*>(&pthread_create),
                             __builtin_return_address(0), rt::LibraryCall::Kind::kAlways);
  return create_thread(call, handle, attributes, {.posix = routine}, argument);
}

int create_thread(const rt::LibraryCall& call, pthread_t* handle, const pthread_attr_t* attributes,
                  Routine routine, void* argument) {
  const auto real = REDFLAG_REAL(pthread_create);
  know_callers(call);
  Start* const s = call ? take_start() : nullptr;
  if (s == nullptr) {
    // int and void* come back in the same register: a C11 routine may stand in for a POSIX one.
    return real(handle, attributes,
                routine.posix != nullptr
                    ? routine.posix
                    : reinterpret_cast<void* (*)(void*)>(reinterpret_cast<void*>(routine.c11)),
                argument);
  }
  int detached = PTHREAD_CREATE_JOINABLE;
  if (attributes != nullptr) pthread_attr_getdetachstate(attributes, &detached);
  *s = {};
  s->joinable = detached == PTHREAD_CREATE_JOINABLE;
  s->routine = routine;
  s->argument = argument;
  s->users = 2;
  rt::Thread* const child = s->child = rt::thread_created(*call.thread, !s->joinable);
  set_quiet_frees(true);
  const int result = real(handle, attributes, &thread_main, s);
  set_quiet_frees(false);
  if (result != 0) {
    rt::thread_not_started(*call.thread, child);
    let_go(s);
  } else {
    enter(s, *handle);
  }
  let_go(s);
  return result;
}

namespace {

// Joins by `real`, which may fail (and then the thread can still be joined) or be cancelled.
// `only_joins`: it does not come back before the thread has ended.
template <class RealJoin>
int join_by(const rt::LibraryCall& call, pthread_t handle, bool only_joins, const RealJoin& real) {
  rt::Thread* const child = table.take(handle);
  if (child == nullptr) return real();
  set_quiet_frees(true);
  if (only_joins && call) rt::thread_joining(*call.thread, child);
  const int result = cancellable(real, [&] {
    set_quiet_frees(false);
    if (only_joins && call) rt::thread_joining(*call.thread, nullptr);
    table.put(handle, child);
  });
  set_quiet_frees(false);
  if (result != 0) {
    table.put(handle, child);
  } else if (call) {
    rt::thread_joined(*call.thread, child);
  }
  if (only_joins && call) rt::thread_joining(*call.thread, nullptr);
  return result;
}

}  // namespace

REDFLAG_INTERCEPT(int, pthread_join, pthread_t handle, void** result) {
  REDFLAG_CALL(pthread_join);
  return join_thread(call, handle, result);
}

int join_thread(const rt::LibraryCall& call, pthread_t handle, void** result) {
  const int error =
      join_by(call, handle, true, [&] { return REDFLAG_REAL(pthread_join)(handle, result); });
  if (error == 0 && call && result != nullptr) rt::write(*call.thread, result, sizeof *result);
  return error;
}

REDFLAG_INTERCEPT(int, pthread_tryjoin_np, pthread_t handle, void** result) {
  REDFLAG_CALL(pthread_tryjoin_np);
  return join_by(call, handle, false,
                 [&] { return REDFLAG_REAL(pthread_tryjoin_np)(handle, result); });
}

REDFLAG_INTERCEPT(int, pthread_timedjoin_np, pthread_t handle, void** result,
                  const timespec* until) {
  REDFLAG_CALL(pthread_timedjoin_np);
  return join_by(call, handle, false,
                 [&] { return REDFLAG_REAL(pthread_timedjoin_np)(handle, result, until); });
}

REDFLAG_INTERCEPT(int, pthread_clockjoin_np, pthread_t handle, void** result, clockid_t clock,
                  const timespec* until) {
  REDFLAG_CALL(pthread_clockjoin_np);
  return join_by(call, handle, false,
                 [&] { return REDFLAG_REAL(pthread_clockjoin_np)(handle, result, clock, until); });
}

REDFLAG_INTERCEPT(int, pthread_detach, pthread_t handle) {
  REDFLAG_CALL(pthread_detach);
  return detach_thread(call, handle);
}

int detach_thread(const rt::LibraryCall& call, pthread_t handle) {
  rt::Thread* const child = table.take(handle);
  const int result = REDFLAG_REAL(pthread_detach)(handle);
  if (child == nullptr) return result;
  if (result != 0) {
    table.put(handle, child);
  } else if (call) {
    rt::thread_detached(*call.thread, child);
  }
  return result;
}

REDFLAG_INTERCEPT(int, pthread_setname_np, pthread_t handle, const char* name) {
  REDFLAG_CALL(pthread_setname_np);
  const int result = REDFLAG_REAL(pthread_setname_np)(handle, name);
  if (!call || result != 0) return result;
  rt::Thread* const named = pthread_equal(handle, pthread_self()) ? call.thread : table.get(handle);
  if (named != nullptr) rt::thread_named(*named, name);
  return result;
}

}  // namespace redflag::interpose
