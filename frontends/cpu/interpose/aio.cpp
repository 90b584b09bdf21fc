// Asynchronous input and output: aio_read and its kin.
//
// Somebody else reads or writes the buffer, from the request until its end is seen. That somebody
// is an agent, a Thread that no system thread runs as: it begins with what the request's thread
// knew, and accesses the buffer. Whoever sees the end (aio_error, aio_return, aio_suspend, or the
// callback) acquires what the agent did. So the request's own thread races with it as others do.
// The contents of a control block are the program's; that libc writes into it is not checked.
//
// An agent serves one request at a time, always of the same thread, so that it knows nothing that
// this thread did not know. It is free when the end was seen. There are as many as requests whose
// end was not seen; beyond kMost, buffers are not checked.
//
// libc reads the event of a control block when the request has ended. So the notice (notice.h) goes
// into the program's own block, and comes out before the callback, unless the program knows the end
// already: then the block may be gone.
#include <aio.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <ctime>

#include "frontends/cpu/interpose/descriptor.h"
#include "frontends/cpu/interpose/notice.h"

namespace redflag::interpose {
namespace {

// Claimed by whoever writes `request`; the rest is the claimer's. No lock: aio_error may be called
// in a signal handler.
struct Agent {
  const void* request;  // the control block; nullptr: free
  rt::Thread* thread;   // nullptr: none yet
  std::uint32_t owner;
  int process;  // whose thread it is: a fork leaves it behind
  int fd;       // read from; -1: none
};
constexpr std::size_t kMost = 256;
Agent agents[kMost];

bool is_request_under_way(const void* request) {
  for (const Agent& a : agents) {
    if (__atomic_load_n(&a.request, __ATOMIC_ACQUIRE) == request) return true;
  }
  return false;
}

bool claim(Agent& a, const void* request) {
  const void* expected = nullptr;
  return __atomic_compare_exchange_n(&a.request, &expected, request, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_RELAXED);
}

void leave(Agent& a) {
  __atomic_store_n(&a.request, nullptr, __ATOMIC_RELEASE);
}

// One that has served this thread; else one that has served nobody; else another's.
Agent* agent_for(rt::Thread& t, const void* request) {
  const std::uint32_t me = rt::number(t);
  const int process = getpid();
  const auto is_alive = [&](const Agent& a) { return a.thread != nullptr && a.process == process; };
  for (int wish = 0; wish < 3; ++wish) {
    const auto fits = [&](const Agent& a) {
      return wish == 0 ? is_alive(a) && a.owner == me : wish == 1 ? !is_alive(a) : true;
    };
    for (Agent& a : agents) {
      // Looked at before, since most are not it; and again once nobody else can change it.
      if (__atomic_load_n(&a.request, __ATOMIC_RELAXED) != nullptr || !fits(a)) continue;
      if (!claim(a, request)) continue;
      if (!fits(a)) {
        leave(a);
        continue;
      }
      if (is_alive(a) && a.owner == me) return &a;
      if (is_alive(a)) rt::fiber_destroyed(t, a.thread);
      a.thread = rt::fiber_created(t);
      a.owner = me;
      a.process = process;
      rt::thread_named(*a.thread, "aio");
      return &a;
    }
  }
  return nullptr;
}

// An earlier request of the same control block, whose end nobody looked at.
void forget(const void* request) {
  for (Agent& a : agents) {
    if (__atomic_load_n(&a.request, __ATOMIC_ACQUIRE) == request) leave(a);
  }
}

// The end of a request was seen.
void ended(const rt::LibraryCall& call, const void* request) {
  for (Agent& a : agents) {
    if (__atomic_load_n(&a.request, __ATOMIC_ACQUIRE) != request) continue;
    const int fd = a.fd;
    leave(a);
    if (fd >= 0) fd_read(call, fd);
  }
  if (call) rt::acquire(*call.thread, key_of(request));
}

enum class Transfer { kRead, kWrite, kNone };

void begin(const rt::LibraryCall& call, const void* function, aiocb64* cb, Transfer transfer) {
  rt::Thread& t = *call.thread;
  rt::read(t, cb, offsetof(aiocb64, __next_prio));
  if (transfer == Transfer::kWrite) {
    fd_writing(call, cb->aio_fildes);
  } else {
    fd_used(call, cb->aio_fildes);
  }
  forget(cb);
  Agent* const a = transfer == Transfer::kNone ? nullptr : agent_for(t, cb);
  if (a == nullptr) {
    rt::release_store(t, key_of(cb));
    return;
  }
  a->fd = transfer == Transfer::kRead ? cb->aio_fildes : -1;
  const std::uint32_t stack = rt::where(t);
  rt::Thread& agent = *a->thread;
  rt::fiber_switched(t, &agent, true);
  rt::push_earlier(agent, stack, function);
  if (transfer == Transfer::kRead) {
    rt::write(agent, const_cast<void*>(cb->aio_buf), cb->aio_nbytes);
  } else {
    rt::read(agent, const_cast<void*>(cb->aio_buf), cb->aio_nbytes);
  }
  rt::release_store(agent, key_of(cb));
  rt::unwind_to(agent, 0);
  rt::fiber_switched(agent, &t, false);
}

// Makes the request's callback ours. nullptr: it has none.
Notice* adopt(const rt::LibraryCall& call, aiocb64* cb) {
  Notice* const notice = make_notice(call, &cb->aio_sigevent, true);
  if (notice == nullptr) return nullptr;
  notice->name = cb;
  acquire_also(*notice, key_of(cb));
  asked(call, notice);
  on_callback(&is_request_under_way);
  put_inside(cb->aio_sigevent, notice);
  return notice;
}

template <class Real>
int request(const rt::LibraryCall& call, const void* function, aiocb64* cb, Transfer transfer,
            const Real& real) {
  if (!call) return real();
  begin(call, function, cb, transfer);
  Notice* const notice = adopt(call, cb);
  const int result = real();
  if (result == 0) return result;
  const int saved = errno;
  if (notice != nullptr) {
    take_outside(cb->aio_sigevent, *notice);
    give_back(notice);
  }
  ended(call, cb);
  errno = saved;
  return result;
}

Transfer transfer_of(const aiocb64& cb) {
  return cb.aio_lio_opcode == LIO_READ    ? Transfer::kRead
         : cb.aio_lio_opcode == LIO_WRITE ? Transfer::kWrite
                                          : Transfer::kNone;
}

template <class Each>
void for_each(aiocb64* const* list, int count, const Each& each) {
  for (int i = 0; i < count; ++i) {
    if (list[i] != nullptr) each(list[i]);
  }
}

}  // namespace

// The two names of each function, for both widths of file offsets, mean the same on this machine.
#define REDFLAG_AIO_REQUESTS(name, transfer)                                           \
  REDFLAG_INTERCEPT(int, name, aiocb64* cb) {                                          \
    REDFLAG_CALL(name);                                                                \
    return request(call, reinterpret_cast<const void*>(&name), cb, Transfer::transfer, \
                   [&] { return REDFLAG_REAL(name)(cb); });                            \
  }
REDFLAG_AIO_REQUESTS(aio_read, kRead)
REDFLAG_AIO_REQUESTS(aio_read64, kRead)
REDFLAG_AIO_REQUESTS(aio_write, kWrite)
REDFLAG_AIO_REQUESTS(aio_write64, kWrite)

#define REDFLAG_AIO_FSYNC(name)                                                     \
  REDFLAG_INTERCEPT(int, name, int operation, aiocb64* cb) {                        \
    REDFLAG_CALL(name);                                                             \
    return request(call, reinterpret_cast<const void*>(&name), cb, Transfer::kNone, \
                   [&] { return REDFLAG_REAL(name)(operation, cb); });              \
  }
REDFLAG_AIO_FSYNC(aio_fsync)
REDFLAG_AIO_FSYNC(aio_fsync64)

// What libc says of a request, without our seeing it.
#define REDFLAG_AIO_ERROR(name)                         \
  REDFLAG_INTERCEPT(int, name, const aiocb64* cb) {     \
    REDFLAG_CALL(name);                                 \
    const int result = REDFLAG_REAL(name)(cb);          \
    if (call && result != EINPROGRESS) ended(call, cb); \
    return result;                                      \
  }
REDFLAG_AIO_ERROR(aio_error)
REDFLAG_AIO_ERROR(aio_error64)

#define REDFLAG_AIO_RETURN(name)                   \
  REDFLAG_INTERCEPT(ssize_t, name, aiocb64* cb) {  \
    REDFLAG_CALL(name);                            \
    const ssize_t result = REDFLAG_REAL(name)(cb); \
    if (call) ended(call, cb);                     \
    return result;                                 \
  }
REDFLAG_AIO_RETURN(aio_return)
REDFLAG_AIO_RETURN(aio_return64)

namespace {

void ended_of(const rt::LibraryCall& call, const aiocb64* cb) {
  if (call && REDFLAG_REAL(aio_error)(cb) != EINPROGRESS) ended(call, cb);
}

}  // namespace

#define REDFLAG_AIO_SUSPEND(name)                                                             \
  REDFLAG_INTERCEPT(int, name, const aiocb64* const* list, int count, const timespec* most) { \
    REDFLAG_CALL(name);                                                                       \
    const int result = REDFLAG_REAL(name)(list, count, most);                                 \
    for (int i = 0; result == 0 && i < count; ++i) {                                          \
      if (list[i] != nullptr) ended_of(call, list[i]);                                        \
    }                                                                                         \
    return result;                                                                            \
  }
REDFLAG_AIO_SUSPEND(aio_suspend)
REDFLAG_AIO_SUSPEND(aio_suspend64)

#define REDFLAG_AIO_CANCEL(name)                           \
  REDFLAG_INTERCEPT(int, name, int fd, aiocb64* cb) {      \
    REDFLAG_CALL(name);                                    \
    const int result = REDFLAG_REAL(name)(fd, cb);         \
    if (cb != nullptr && result != -1) ended_of(call, cb); \
    return result;                                         \
  }
REDFLAG_AIO_CANCEL(aio_cancel)
REDFLAG_AIO_CANCEL(aio_cancel64)

// Those of the list that could not be started have ended, with their error.
#define REDFLAG_LIO_LISTIO(name)                                                                 \
  REDFLAG_INTERCEPT(int, name, int mode, aiocb64* const* list, int count, sigevent* event) {     \
    REDFLAG_CALL(name);                                                                          \
    if (!call) return REDFLAG_REAL(name)(mode, list, count, event);                              \
    Notice* const notice = mode == LIO_NOWAIT ? make_notice(call, event, true) : nullptr;        \
    for_each(list, count, [&](aiocb64* cb) {                                                     \
      if (cb->aio_lio_opcode == LIO_NOP) return;                                                 \
      begin(call, reinterpret_cast<const void*>(&name), cb, transfer_of(*cb));                   \
      adopt(call, cb);                                                                           \
      if (notice != nullptr) acquire_also(*notice, key_of(cb));                                  \
    });                                                                                          \
    asked(call, notice);                                                                         \
    sigevent ours{};                                                                             \
    if (notice != nullptr) ours = with_notice(*event, notice);                                   \
    const int result = REDFLAG_REAL(name)(mode, list, count, notice != nullptr ? &ours : event); \
    if (mode == LIO_WAIT) for_each(list, count, [&](aiocb64* cb) { ended_of(call, cb); });       \
    return result;                                                                               \
  }
REDFLAG_LIO_LISTIO(lio_listio)
REDFLAG_LIO_LISTIO(lio_listio64)

}  // namespace redflag::interpose
