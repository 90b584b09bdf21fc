// Mutexes of every kind: plain, recursive, error-checking, adaptive, robust.
//
// The runtime learns of an acquisition after the real lock has it, and of a release before the real
// lock gives it up: in between nobody else can hold it, so the order the runtime sees is the real
// one. An unlock that the mutex then refuses (not the owner) is announced too: the runtime knows who
// holds the lock, and such an unlock is a finding. pthread_mutex_consistent and priority ceilings
// change nothing of the order and are left alone.
#include <pthread.h>

#include <cerrno>
#include <ctime>

#include "frontends/cpu/interpose/intercept.h"

namespace redflag::interpose {
namespace {

constexpr int kKindMask = 3;  // of __kind: PTHREAD_MUTEX_*; other bits say robust, shared, …

bool reentrant(const pthread_mutex_t* m) {
  return (m->__data.__kind & kKindMask) == PTHREAD_MUTEX_RECURSIVE_NP;
}

// What the result of any of the locking calls means.
int locked(const rt::LibraryCall& call, pthread_mutex_t* m, int result) {
  if (!call) return result;
  if (result == 0) {
    // A recursive mutex that the linker initialised is first heard of here.
    if (REDFLAG_UNLIKELY(reentrant(m)) && m->__data.__count == 2) {
      rt::lock_created(*call.thread, m, rt::kLockReentrant | rt::kLockStatic);
    }
    rt::lock_acquired(*call.thread, m, rt::LockMode::kExclusive);
  } else if (result == EOWNERDEAD) {
    rt::lock_inherited(*call.thread, m);
  }
  return result;
}

}  // namespace

REDFLAG_INTERCEPT(int, pthread_mutex_init, pthread_mutex_t* m, const pthread_mutexattr_t* a) {
  REDFLAG_CALL(pthread_mutex_init);
  const int result = REDFLAG_REAL(pthread_mutex_init)(m, a);
  if (call && result == 0) {
    rt::lock_created(*call.thread, m, reentrant(m) ? rt::kLockReentrant : rt::kLockPlain);
  }
  return result;
}

REDFLAG_INTERCEPT(int, pthread_mutex_destroy, pthread_mutex_t* m) {
  REDFLAG_CALL(pthread_mutex_destroy);
  const int result = REDFLAG_REAL(pthread_mutex_destroy)(m);
  // EBUSY: destroyed while locked, which is what the runtime wants to hear of.
  if (call && (result == 0 || result == EBUSY)) rt::lock_destroyed(*call.thread, m);
  return result;
}

REDFLAG_INTERCEPT(int, pthread_mutex_lock, pthread_mutex_t* m) {
  REDFLAG_CALL(pthread_mutex_lock);
  return locked(call, m, REDFLAG_REAL(pthread_mutex_lock)(m));
}

REDFLAG_INTERCEPT(int, pthread_mutex_trylock, pthread_mutex_t* m) {
  REDFLAG_CALL(pthread_mutex_trylock);
  return locked(call, m, REDFLAG_REAL(pthread_mutex_trylock)(m));
}

REDFLAG_INTERCEPT(int, pthread_mutex_timedlock, pthread_mutex_t* m, const timespec* until) {
  REDFLAG_CALL(pthread_mutex_timedlock);
  return locked(call, m, REDFLAG_REAL(pthread_mutex_timedlock)(m, until));
}

REDFLAG_INTERCEPT(int, pthread_mutex_clocklock, pthread_mutex_t* m, clockid_t clock,
                  const timespec* until) {
  REDFLAG_CALL(pthread_mutex_clocklock);
  return locked(call, m, REDFLAG_REAL(pthread_mutex_clocklock)(m, clock, until));
}

REDFLAG_INTERCEPT(int, pthread_mutex_unlock, pthread_mutex_t* m) {
  REDFLAG_CALL(pthread_mutex_unlock);
  if (call) rt::lock_released(*call.thread, m, rt::LockMode::kExclusive);
  return REDFLAG_REAL(pthread_mutex_unlock)(m);
}

}  // namespace redflag::interpose
