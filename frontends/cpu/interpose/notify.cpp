// Who asks libc for callbacks in threads of its own: timers, message queues, name look-ups.
// notice.h says what becomes of the callback; asynchronous input and output is in aio.cpp.
//
// timer_settime happens before the callbacks of the expirations that follow; a callback happens
// before nothing: timer_delete does not wait for it. A message was sent before the callback that it
// causes.
#include <mqueue.h>
#include <netdb.h>

#include <ctime>

#include "frontends/cpu/interpose/ipc.h"
#include "frontends/cpu/interpose/notice.h"

namespace redflag::interpose {
namespace {

// The notices of timers that exist, by the timer's number. Looking one up takes no lock:
// timer_settime may be called in a signal handler, also in one that interrupts timer_create.
class Timers {
 public:
  void put(const void* timer, Notice* notice) {
    const SpinGuard guard(lock_);
    Notice*& first = list(timer);
    notice->name = timer;
    notice->beside = first;
    __atomic_store_n(&first, notice, __ATOMIC_RELEASE);
  }

  Notice* get(const void* timer) {
    Notice* n = __atomic_load_n(&list(timer), __ATOMIC_ACQUIRE);
    while (n != nullptr && n->name != timer) n = __atomic_load_n(&n->beside, __ATOMIC_ACQUIRE);
    return n;
  }

  Notice* take(const void* timer) {
    const SpinGuard guard(lock_);
    Notice** at = &list(timer);
    while (*at != nullptr && (*at)->name != timer) at = &(*at)->beside;
    Notice* const n = *at;
    if (n != nullptr) __atomic_store_n(at, n->beside, __ATOMIC_RELEASE);
    return n;
  }

 private:
  static constexpr std::size_t kLists = 256;
  Notice*& list(const void* timer) {
    return lists_[reinterpret_cast<std::uintptr_t>(timer) * 0x9E3779B97F4A7C15ull >> 56];
  }
  SpinLock lock_;
  Notice* lists_[kLists] = {};
};
Timers timers;

void read_event(const rt::LibraryCall& call, const sigevent* event) {
  if (call && event != nullptr) rt::read(*call.thread, event, sizeof *event);
}

}  // namespace

REDFLAG_INTERCEPT(int, timer_create, clockid_t clock, sigevent* event, timer_t* timer) {
  REDFLAG_CALL(timer_create);
  read_event(call, event);
  Notice* const notice = make_notice(call, event, false);
  int result = 0;
  if (notice == nullptr) {
    result = REDFLAG_REAL(timer_create)(clock, event, timer);
  } else {
    sigevent ours = with_notice(*event, notice);
    asked(call, notice);
    result = REDFLAG_REAL(timer_create)(clock, &ours, timer);
    if (result == 0) {
      timers.put(*timer, notice);
    } else {
      give_back(notice);
    }
  }
  if (call && result == 0) rt::write(*call.thread, timer, sizeof *timer);
  return result;
}

REDFLAG_INTERCEPT(int, timer_settime, timer_t timer, int flags, const itimerspec* when,
                  itimerspec* old) {
  REDFLAG_CALL(timer_settime);
  if (call && when != nullptr) rt::read(*call.thread, when, sizeof *when);
  asked(call, timers.get(timer));
  const int result = REDFLAG_REAL(timer_settime)(timer, flags, when, old);
  if (call && result == 0 && old != nullptr) rt::write(*call.thread, old, sizeof *old);
  return result;
}

REDFLAG_INTERCEPT(int, timer_delete, timer_t timer) {
  REDFLAG_CALL(timer_delete);
  Notice* const notice = timers.take(timer);
  const int result = REDFLAG_REAL(timer_delete)(timer);
  if (notice == nullptr) return result;
  if (result == 0) {
    give_back(notice);
  } else {
    timers.put(timer, notice);
  }
  return result;
}

// A registration that is taken back, or whose queue is closed, never calls: its notice is lost.
REDFLAG_INTERCEPT(int, mq_notify, mqd_t queue, const sigevent* event) {
  REDFLAG_CALL(mq_notify);
  read_event(call, event);
  Notice* const notice = make_notice(call, event, true);
  if (notice == nullptr) return REDFLAG_REAL(mq_notify)(queue, event);
  acquire_also(*notice, key_of_queue(queue));
  const sigevent ours = with_notice(*event, notice);
  asked(call, notice);
  const int result = REDFLAG_REAL(mq_notify)(queue, &ours);
  if (result != 0) give_back(notice);
  return result;
}

REDFLAG_INTERCEPT(int, getaddrinfo_a, int mode, gaicb** list, int count, sigevent* event) {
  REDFLAG_CALL(getaddrinfo_a);
  if (mode == GAI_NOWAIT) read_event(call, event);
  Notice* const notice = mode == GAI_NOWAIT ? make_notice(call, event, true) : nullptr;
  if (notice == nullptr) return REDFLAG_REAL(getaddrinfo_a)(mode, list, count, event);
  sigevent ours = with_notice(*event, notice);
  asked(call, notice);
  const int result = REDFLAG_REAL(getaddrinfo_a)(mode, list, count, &ours);
  // With EAI_SYSTEM some may have been started, and their end is told; with others nothing was.
  if (result != 0 && result != EAI_SYSTEM) give_back(notice);
  return result;
}

}  // namespace redflag::interpose
