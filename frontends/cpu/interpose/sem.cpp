// POSIX semaphores: a post happens before the waits that it lets through.
//
// Which post let which wait through cannot be seen from outside, so a wait learns from all posts so
// far. That hides some races between posters and waiters of counting semaphores, as everywhere.
#include <semaphore.h>

#include <ctime>

#include "frontends/cpu/interpose/intercept.h"

namespace redflag::interpose {
namespace {

int waited(const rt::LibraryCall& call, sem_t* s, int result) {
  if (call && result == 0) rt::acquire(*call.thread, key_of(s));
  return result;
}

}  // namespace

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
