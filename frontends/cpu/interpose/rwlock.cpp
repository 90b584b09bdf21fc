// Read-write locks and spin locks: the same rules as for mutexes, with two ways to hold one.
#include <pthread.h>

#include <cerrno>
#include <ctime>

#include "frontends/cpu/interpose/intercept.h"

namespace redflag::interpose {
namespace {

using rt::LockMode;

// pthread_spinlock_t is an int that may move between threads only by its address.
void* address_of(pthread_spinlock_t* s) {
  return const_cast<int*>(reinterpret_cast<volatile int*>(s));
}

int locked(const rt::LibraryCall& call, void* lock, LockMode mode, int result) {
  if (call && result == 0) rt::lock_acquired(*call.thread, lock, mode);
  return result;
}

}  // namespace

REDFLAG_INTERCEPT(int, pthread_rwlock_init, pthread_rwlock_t* l, const pthread_rwlockattr_t* a) {
  REDFLAG_CALL(pthread_rwlock_init);
  const int result = REDFLAG_REAL(pthread_rwlock_init)(l, a);
  if (call && result == 0) rt::lock_created(*call.thread, l, rt::kLockReadWrite);
  return result;
}

REDFLAG_INTERCEPT(int, pthread_rwlock_destroy, pthread_rwlock_t* l) {
  REDFLAG_CALL(pthread_rwlock_destroy);
  const int result = REDFLAG_REAL(pthread_rwlock_destroy)(l);
  if (call && (result == 0 || result == EBUSY)) rt::lock_destroyed(*call.thread, l);
  return result;
}

REDFLAG_INTERCEPT(int, pthread_rwlock_rdlock, pthread_rwlock_t* l) {
  REDFLAG_CALL(pthread_rwlock_rdlock);
  return locked(call, l, LockMode::kShared, REDFLAG_REAL(pthread_rwlock_rdlock)(l));
}

REDFLAG_INTERCEPT(int, pthread_rwlock_tryrdlock, pthread_rwlock_t* l) {
  REDFLAG_CALL(pthread_rwlock_tryrdlock);
  return locked(call, l, LockMode::kShared, REDFLAG_REAL(pthread_rwlock_tryrdlock)(l));
}

REDFLAG_INTERCEPT(int, pthread_rwlock_timedrdlock, pthread_rwlock_t* l, const timespec* until) {
  REDFLAG_CALL(pthread_rwlock_timedrdlock);
  return locked(call, l, LockMode::kShared, REDFLAG_REAL(pthread_rwlock_timedrdlock)(l, until));
}

REDFLAG_INTERCEPT(int, pthread_rwlock_clockrdlock, pthread_rwlock_t* l, clockid_t clock,
                  const timespec* until) {
  REDFLAG_CALL(pthread_rwlock_clockrdlock);
  return locked(call, l, LockMode::kShared,
                REDFLAG_REAL(pthread_rwlock_clockrdlock)(l, clock, until));
}

REDFLAG_INTERCEPT(int, pthread_rwlock_wrlock, pthread_rwlock_t* l) {
  REDFLAG_CALL(pthread_rwlock_wrlock);
  return locked(call, l, LockMode::kExclusive, REDFLAG_REAL(pthread_rwlock_wrlock)(l));
}

REDFLAG_INTERCEPT(int, pthread_rwlock_trywrlock, pthread_rwlock_t* l) {
  REDFLAG_CALL(pthread_rwlock_trywrlock);
  return locked(call, l, LockMode::kExclusive, REDFLAG_REAL(pthread_rwlock_trywrlock)(l));
}

REDFLAG_INTERCEPT(int, pthread_rwlock_timedwrlock, pthread_rwlock_t* l, const timespec* until) {
  REDFLAG_CALL(pthread_rwlock_timedwrlock);
  return locked(call, l, LockMode::kExclusive, REDFLAG_REAL(pthread_rwlock_timedwrlock)(l, until));
}

REDFLAG_INTERCEPT(int, pthread_rwlock_clockwrlock, pthread_rwlock_t* l, clockid_t clock,
                  const timespec* until) {
  REDFLAG_CALL(pthread_rwlock_clockwrlock);
  return locked(call, l, LockMode::kExclusive,
                REDFLAG_REAL(pthread_rwlock_clockwrlock)(l, clock, until));
}

REDFLAG_INTERCEPT(int, pthread_rwlock_unlock, pthread_rwlock_t* l) {
  REDFLAG_CALL(pthread_rwlock_unlock);
  if (call) rt::lock_released_any(*call.thread, l);
  return REDFLAG_REAL(pthread_rwlock_unlock)(l);
}

REDFLAG_INTERCEPT(int, pthread_spin_init, pthread_spinlock_t* s, int shared) {
  REDFLAG_CALL(pthread_spin_init);
  const int result = REDFLAG_REAL(pthread_spin_init)(s, shared);
  if (call && result == 0) rt::lock_created(*call.thread, address_of(s), rt::kLockPlain);
  return result;
}

REDFLAG_INTERCEPT(int, pthread_spin_destroy, pthread_spinlock_t* s) {
  REDFLAG_CALL(pthread_spin_destroy);
  const int result = REDFLAG_REAL(pthread_spin_destroy)(s);
  if (call && result == 0) rt::lock_destroyed(*call.thread, address_of(s));
  return result;
}

REDFLAG_INTERCEPT(int, pthread_spin_lock, pthread_spinlock_t* s) {
  REDFLAG_CALL(pthread_spin_lock);
  return locked(call, address_of(s), LockMode::kExclusive, REDFLAG_REAL(pthread_spin_lock)(s));
}

REDFLAG_INTERCEPT(int, pthread_spin_trylock, pthread_spinlock_t* s) {
  REDFLAG_CALL(pthread_spin_trylock);
  return locked(call, address_of(s), LockMode::kExclusive, REDFLAG_REAL(pthread_spin_trylock)(s));
}

REDFLAG_INTERCEPT(int, pthread_spin_unlock, pthread_spinlock_t* s) {
  REDFLAG_CALL(pthread_spin_unlock);
  if (call) rt::lock_released(*call.thread, address_of(s), LockMode::kExclusive);
  return REDFLAG_REAL(pthread_spin_unlock)(s);
}

}  // namespace redflag::interpose
