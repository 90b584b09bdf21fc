// Calls that wait for time or for an event, and order nothing.
//
// A thread that may sit in one for long must not keep accesses to itself that are collected but not
// checked yet (core/live/thread.h): opening the call checks them.
#include <poll.h>
#include <sched.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): POSIX's, not C's
#include <sys/select.h>
#include <unistd.h>

#include <ctime>

#include "frontends/cpu/interpose/intercept.h"

namespace redflag::interpose {

#define REDFLAG_WAITS(result, name, parameters, arguments)   \
  REDFLAG_INTERCEPT(result, name, REDFLAG_LIST parameters) { \
    REDFLAG_CALL(name);                                      \
    return REDFLAG_REAL(name) arguments;                     \
  }
#define REDFLAG_LIST(...) __VA_ARGS__

REDFLAG_WAITS(unsigned, sleep, (unsigned seconds), (seconds))
REDFLAG_WAITS(int, usleep, (useconds_t most), (most))
REDFLAG_WAITS(int, nanosleep, (const timespec* wanted, timespec* left), (wanted, left))
REDFLAG_WAITS(int, clock_nanosleep,
              (clockid_t clock, int flags, const timespec* wanted, timespec* left),
              (clock, flags, wanted, left))
REDFLAG_WAITS(int, sched_yield, (), ())
REDFLAG_WAITS(int, pause, (), ())
REDFLAG_WAITS(int, sigsuspend, (const sigset_t* mask), (mask))
REDFLAG_WAITS(int, poll, (pollfd * fds, nfds_t count, int most), (fds, count, most))
REDFLAG_WAITS(int, ppoll, (pollfd * fds, nfds_t count, const timespec* most, const sigset_t* mask),
              (fds, count, most, mask))
REDFLAG_WAITS(int, select, (int count, fd_set* in, fd_set* out, fd_set* other, timeval* most),
              (count, in, out, other, most))
REDFLAG_WAITS(int, pselect,
              (int count, fd_set* in, fd_set* out, fd_set* other, const timespec* most,
               const sigset_t* mask),
              (count, in, out, other, most, mask))

}  // namespace redflag::interpose
