// Library calls in which a thread may be cancelled: what to put right on the way out.
//
// A cancelled thread leaves pthread_cond_wait with the mutex locked again and then runs the
// program's clean-up handlers and destructors. The runtime must know of the mutex before them. We
// have no exceptions, so this uses the C interface of glibc: a jump buffer registered for the time
// of the call, to which cancellation jumps when it has unwound to this frame.
#pragma once

#include <pthread.h>

// glibc's own __sigsetjmp, past our interceptor (jump.cpp).
extern "C" int redflag_plain_sigsetjmp(void* buffer, int mask)
    __attribute__((returns_twice, visibility("hidden")));

namespace redflag::interpose {

// The result of body(). If the thread is cancelled in it, undo() runs instead.
template <class Body, class Undo>
__attribute__((noinline)) int cancellable(const Body& body, const Undo& undo) {
  __pthread_unwind_buf_t buffer;
  if (redflag_plain_sigsetjmp(&buffer, 0) != 0) {
    undo();
    __pthread_unwind_next(&buffer);
  }
  __pthread_register_cancel(&buffer);
  const int result = body();
  __pthread_unregister_cancel(&buffer);
  return result;
}

}  // namespace redflag::interpose
