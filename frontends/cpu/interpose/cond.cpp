// Condition variables and barriers.
//
// Waiting on a condition gives the mutex up, however often it is held, and takes it back before
// anything else happens: also when the wait times out, is refused, or the thread is cancelled in it.
// Signalling orders nothing by itself; the mutex does. The condition itself counts as read by those
// who use it and as written by those who make and destroy it, so destroying one in use is a race.
//
// glibc keeps two sets of the functions on conditions: the ones that programs use are GLIBC_2.3.2.
#include <pthread.h>

#include <cerrno>
#include <ctime>

#include "frontends/cpu/interpose/cancel.h"
#include "frontends/cpu/interpose/intercept.h"

#define REDFLAG_CONDITION(name, ...) \
  REDFLAG_INTERCEPT_VERSION("GLIBC_2.3.2", int, name, __VA_ARGS__)

namespace redflag::interpose {
namespace {

constexpr std::size_t kPart = sizeof(void*);  // of the condition, to stand for all of it

template <class RealWait>
int wait_by(const rt::LibraryCall& call, pthread_cond_t* c, pthread_mutex_t* m,
            const RealWait& real) {
  if (!call) return real();
  rt::Thread& t = *call.thread;
  rt::read(t, c, kPart);
  const int depth = rt::lock_released_fully(t, m);
  const auto held_again = [&] {
    if (depth > 0) rt::lock_acquired(t, m, rt::LockMode::kExclusive, depth);
  };
  const int result = cancellable(real, held_again);
  if (result == EOWNERDEAD) {
    rt::lock_inherited(t, m);
  } else {
    held_again();
  }
  return result;
}

}  // namespace

REDFLAG_CONDITION(pthread_cond_init, pthread_cond_t* c, const pthread_condattr_t* a) {
  REDFLAG_CALL(pthread_cond_init);
  const int result = REDFLAG_REAL(pthread_cond_init)(c, a);
  if (call && result == 0) rt::write(*call.thread, c, kPart);
  return result;
}

REDFLAG_CONDITION(pthread_cond_destroy, pthread_cond_t* c) {
  REDFLAG_CALL(pthread_cond_destroy);
  if (call) rt::write(*call.thread, c, kPart);
  return REDFLAG_REAL(pthread_cond_destroy)(c);
}

REDFLAG_CONDITION(pthread_cond_signal, pthread_cond_t* c) {
  REDFLAG_CALL(pthread_cond_signal);
  if (call) rt::read(*call.thread, c, kPart);
  return REDFLAG_REAL(pthread_cond_signal)(c);
}

REDFLAG_CONDITION(pthread_cond_broadcast, pthread_cond_t* c) {
  REDFLAG_CALL(pthread_cond_broadcast);
  if (call) rt::read(*call.thread, c, kPart);
  return REDFLAG_REAL(pthread_cond_broadcast)(c);
}

REDFLAG_CONDITION(pthread_cond_wait, pthread_cond_t* c, pthread_mutex_t* m) {
  REDFLAG_CALL(pthread_cond_wait);
  return wait_by(call, c, m, [&] { return REDFLAG_REAL(pthread_cond_wait)(c, m); });
}

REDFLAG_CONDITION(pthread_cond_timedwait, pthread_cond_t* c, pthread_mutex_t* m,
                  const timespec* until) {
  REDFLAG_CALL(pthread_cond_timedwait);
  return wait_by(call, c, m, [&] { return REDFLAG_REAL(pthread_cond_timedwait)(c, m, until); });
}

REDFLAG_INTERCEPT(int, pthread_cond_clockwait, pthread_cond_t* c, pthread_mutex_t* m,
                  clockid_t clock, const timespec* until) {
  REDFLAG_CALL(pthread_cond_clockwait);
  return wait_by(call, c, m,
                 [&] { return REDFLAG_REAL(pthread_cond_clockwait)(c, m, clock, until); });
}

REDFLAG_INTERCEPT(int, pthread_barrier_init, pthread_barrier_t* b, const pthread_barrierattr_t* a,
                  unsigned parties) {
  REDFLAG_CALL(pthread_barrier_init);
  const int result = REDFLAG_REAL(pthread_barrier_init)(b, a, parties);
  if (call && result == 0) rt::write(*call.thread, b, kPart);
  return result;
}

REDFLAG_INTERCEPT(int, pthread_barrier_destroy, pthread_barrier_t* b) {
  REDFLAG_CALL(pthread_barrier_destroy);
  // glibc waits here until the last thread has left the barrier, so they are all behind us.
  const int result = REDFLAG_REAL(pthread_barrier_destroy)(b);
  if (call && result == 0) rt::write(*call.thread, b, kPart);
  return result;
}

REDFLAG_INTERCEPT(int, pthread_barrier_wait, pthread_barrier_t* b) {
  REDFLAG_CALL(pthread_barrier_wait);
  if (call) {
    rt::read(*call.thread, b, kPart);
    rt::barrier_enter(*call.thread, b);
  }
  const int result = REDFLAG_REAL(pthread_barrier_wait)(b);
  if (call && (result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD)) {
    rt::barrier_exit(*call.thread, b);
  }
  return result;
}

}  // namespace redflag::interpose
