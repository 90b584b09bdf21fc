// POSIX semaphores: a post happens before the waits that it lets through.
//
// Which post let which wait through cannot be seen from outside, so a wait learns from all posts so
// far. That hides some races between posters and waiters of counting semaphores, as everywhere.
#include <semaphore.h>

#include <ctime>

#include "frontends/cpu/interpose/intercept.h"

namespace redflag::interpose {
namespace {

constexpr std::size_t kPage = 4096;

// Named semaphores, and how often each is open: the same one again has the same address. Those beyond
// the room are taken for memory of the process alone.
struct Named {
  const sem_t* at;
  int times;
};
SpinLock named_lock;
Named named[64];

// How often it is open after that; -1: not known.
int opened(const sem_t* s, int more) {
  SpinGuard guard(named_lock);
  Named* free = nullptr;
  for (Named& one : named) {
    if (one.at == s) {
      one.times += more;
      if (one.times == 0) one.at = nullptr;
      return one.times;
    }
    if (one.at == nullptr) free = &one;
  }
  if (free == nullptr || more < 0) return -1;
  *free = {s, 1};
  return 1;
}

int waited(const rt::LibraryCall& call, sem_t* s, int result) {
  if (call && result == 0) rt::acquire(*call.thread, key_of(s));
  return result;
}

}  // namespace

// A named one is a file that libc maps, wherever there is room: all processes mean the same by it.
// The mode and value are passed on whether the program gave them or not.
REDFLAG_INTERCEPT(sem_t*, sem_open, const char* name, int flags, unsigned mode, unsigned value) {
  REDFLAG_CALL(sem_open);
  sem_t* const s = REDFLAG_REAL(sem_open)(name, flags, mode, value);
  if (!call || s == SEM_FAILED) return s;
  char path[300] = "/dev/shm/sem.";
  std::size_t n = sizeof("/dev/shm/sem.") - 1;
  for (const char* p = name[0] == '/' ? name + 1 : name; *p != 0 && n + 1 < sizeof path; ++p) {
    path[n++] = *p;
  }
  path[n] = 0;
  if (opened(s, 1) == 1) rt::memory_is_named_file(s, kPage, path);
  return s;
}

REDFLAG_INTERCEPT(int, sem_close, sem_t* s) {
  REDFLAG_CALL(sem_close);
  if (opened(s, -1) == 0 && call) rt::memory_remapped(s, kPage);
  return REDFLAG_REAL(sem_close)(s);
}

REDFLAG_INTERCEPT(int, sem_init, sem_t* s, int shared, unsigned value) {
  REDFLAG_CALL(sem_init);
  const int result = REDFLAG_REAL(sem_init)(s, shared, value);
  // A new life of the same memory: what earlier posts released is replaced.
  if (call && result == 0) rt::release_store(*call.thread, key_of(s));
  return result;
}

REDFLAG_INTERCEPT(int, sem_wait, sem_t* s) {
  REDFLAG_CALL(sem_wait);
  return waited(call, s, REDFLAG_REAL(sem_wait)(s));
}

REDFLAG_INTERCEPT(int, sem_trywait, sem_t* s) {
  REDFLAG_CALL(sem_trywait);
  return waited(call, s, REDFLAG_REAL(sem_trywait)(s));
}

REDFLAG_INTERCEPT(int, sem_timedwait, sem_t* s, const timespec* until) {
  REDFLAG_CALL(sem_timedwait);
  return waited(call, s, REDFLAG_REAL(sem_timedwait)(s, until));
}

REDFLAG_INTERCEPT(int, sem_clockwait, sem_t* s, clockid_t clock, const timespec* until) {
  REDFLAG_CALL(sem_clockwait);
  return waited(call, s, REDFLAG_REAL(sem_clockwait)(s, clock, until));
}

REDFLAG_INTERCEPT(int, sem_post, sem_t* s) {
  REDFLAG_CALL(sem_post);
  if (call) rt::release(*call.thread, key_of(s));
  return REDFLAG_REAL(sem_post)(s);
}

// Programs poll it: a value that a post made visible orders as the wait would.
REDFLAG_INTERCEPT(int, sem_getvalue, sem_t* s, int* value) {
  REDFLAG_CALL(sem_getvalue);
  const int result = waited(call, s, REDFLAG_REAL(sem_getvalue)(s, value));
  if (call && result == 0) rt::write(*call.thread, value, sizeof *value);
  return result;
}

}  // namespace redflag::interpose
