// C11 threads. In glibc they are the POSIX ones under other names and go straight to its inside, so
// each is intercepted by itself. thrd_t is pthread_t, mtx_t holds a pthread_mutex_t, cnd_t a
// pthread_cond_t; tss_t needs nothing. Threads are made and joined by our pthread_create and
// pthread_join, with the int result carried in the void*.
#include <threads.h>

#include <cerrno>

#include "frontends/cpu/interpose/cancel.h"
#include "frontends/cpu/interpose/intercept.h"
#include "frontends/cpu/interpose/parts.h"

namespace redflag::interpose {
namespace {

int as_c11(int error) {
  switch (error) {
    case 0:
      return thrd_success;
    case ENOMEM:
      return thrd_nomem;
    case EBUSY:
      return thrd_busy;
    case ETIMEDOUT:
      return thrd_timedout;
    default:
      return thrd_error;
  }
}

int locked(const rt::LibraryCall& call, mtx_t* m, int result) {
  if (call && result == thrd_success) {
    rt::lock_acquired(*call.thread, m, rt::LockMode::kExclusive);
  }
  return result;
}

template <class RealWait>
int wait_by(const rt::LibraryCall& call, mtx_t* m, const RealWait& real) {
  if (!call) return real();
  rt::Thread& t = *call.thread;
  const int depth = rt::lock_released_fully(t, m);
  const auto held_again = [&] {
    if (depth > 0) rt::lock_acquired(t, m, rt::LockMode::kExclusive, depth);
  };
  const int result = cancellable(real, held_again);
  held_again();
  return result;
}

}  // namespace

REDFLAG_INTERCEPT(int, thrd_create, thrd_t* handle, thrd_start_t routine, void* argument) {
  REDFLAG_CALL(thrd_create);
  return as_c11(create_thread(call, handle, nullptr, {.c11 = routine}, argument));
}

REDFLAG_INTERCEPT(int, thrd_join, thrd_t handle, int* result) {
  REDFLAG_CALL(thrd_join);
  void* value = nullptr;
  const int error = join_thread(call, handle, &value);
  if (error == 0 && result != nullptr) {
    *result = static_cast<int>(reinterpret_cast<std::intptr_t>(value));
    if (call) rt::write(*call.thread, result, sizeof *result);
  }
  return as_c11(error);
}

REDFLAG_INTERCEPT(int, thrd_detach, thrd_t handle) {
  REDFLAG_CALL(thrd_detach);
  return as_c11(detach_thread(call, handle));
}

REDFLAG_INTERCEPT(int, mtx_init, mtx_t* m, int type) {
  REDFLAG_CALL(mtx_init);
  const int result = REDFLAG_REAL(mtx_init)(m, type);
  if (call && result == thrd_success) {
    rt::lock_created(*call.thread, m,
                     (type & mtx_recursive) != 0 ? rt::kLockReentrant : rt::kLockPlain);
  }
  return result;
}

REDFLAG_INTERCEPT(void, mtx_destroy, mtx_t* m) {
  REDFLAG_CALL(mtx_destroy);
  if (call) rt::lock_destroyed(*call.thread, m);
  REDFLAG_REAL(mtx_destroy)(m);
}

REDFLAG_INTERCEPT(int, mtx_lock, mtx_t* m) {
  REDFLAG_CALL(mtx_lock);
  return locked(call, m, REDFLAG_REAL(mtx_lock)(m));
}

REDFLAG_INTERCEPT(int, mtx_trylock, mtx_t* m) {
  REDFLAG_CALL(mtx_trylock);
  return locked(call, m, REDFLAG_REAL(mtx_trylock)(m));
}

REDFLAG_INTERCEPT(int, mtx_timedlock, mtx_t* m, const timespec* until) {
  REDFLAG_CALL(mtx_timedlock);
  return locked(call, m, REDFLAG_REAL(mtx_timedlock)(m, until));
}

REDFLAG_INTERCEPT(int, mtx_unlock, mtx_t* m) {
  REDFLAG_CALL(mtx_unlock);
  if (call) rt::lock_released(*call.thread, m, rt::LockMode::kExclusive);
  return REDFLAG_REAL(mtx_unlock)(m);
}

REDFLAG_INTERCEPT(int, cnd_wait, cnd_t* c, mtx_t* m) {
  REDFLAG_CALL(cnd_wait);
  return wait_by(call, m, [&] { return REDFLAG_REAL(cnd_wait)(c, m); });
}

REDFLAG_INTERCEPT(int, cnd_timedwait, cnd_t* c, mtx_t* m, const timespec* until) {
  REDFLAG_CALL(cnd_timedwait);
  return wait_by(call, m, [&] { return REDFLAG_REAL(cnd_timedwait)(c, m, until); });
}

}  // namespace redflag::interpose
