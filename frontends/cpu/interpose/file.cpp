// Opening and closing descriptors, and the calls that wait for several of them. descriptor.h says
// what they mean for the order of threads; transfer.cpp has the calls that move bytes.
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>

#include "frontends/cpu/interpose/descriptor.h"
#include "frontends/cpu/interpose/intercept.h"
#include "frontends/cpu/interpose/ipc.h"

namespace redflag::interpose {
namespace {

void path_read(const rt::LibraryCall& call, const char* path) {
  if (!call || path == nullptr) return;
  std::size_t n = 0;
  while (path[n] != 0) ++n;
  rt::read(*call.thread, path, n + 1);
}

int opened(const rt::LibraryCall& call, int fd, DescriptorKind kind) {
  if (fd >= 0) fd_opened(call, fd, kind);
  return fd;
}

void written(const rt::LibraryCall& call, void* p, std::size_t n) {
  if (call && p != nullptr && n != 0) rt::write(*call.thread, p, n);
}

}  // namespace

// The mode of open is passed on whether the program gave it or not: without O_CREAT nobody looks.
#define REDFLAG_OPEN(name)                                                             \
  REDFLAG_INTERCEPT(int, name, const char* path, int flags, unsigned mode) {           \
    REDFLAG_CALL(name);                                                                \
    path_read(call, path);                                                             \
    return opened(call, REDFLAG_REAL(name)(path, flags, mode), DescriptorKind::kFile); \
  }
REDFLAG_OPEN(open)
REDFLAG_OPEN(open64)

#define REDFLAG_OPENAT(name)                                                                  \
  REDFLAG_INTERCEPT(int, name, int where, const char* path, int flags, unsigned mode) {       \
    REDFLAG_CALL(name);                                                                       \
    path_read(call, path);                                                                    \
    return opened(call, REDFLAG_REAL(name)(where, path, flags, mode), DescriptorKind::kFile); \
  }
REDFLAG_OPENAT(openat)
REDFLAG_OPENAT(openat64)

// Calls that make a descriptor and need no more said: their arguments and what they make.
#define REDFLAG_MAKES(name, kind, parameters, arguments)                     \
  REDFLAG_INTERCEPT(int, name, REDFLAG_UNPACK parameters) {                  \
    REDFLAG_CALL(name);                                                      \
    return opened(call, REDFLAG_REAL(name) arguments, DescriptorKind::kind); \
  }
#define REDFLAG_UNPACK(...) __VA_ARGS__
REDFLAG_MAKES(__open_2, kFile, (const char* path, int flags), (path, flags))
REDFLAG_MAKES(__open64_2, kFile, (const char* path, int flags), (path, flags))
REDFLAG_MAKES(creat, kFile, (const char* path, unsigned mode), (path, mode))
REDFLAG_MAKES(creat64, kFile, (const char* path, unsigned mode), (path, mode))
REDFLAG_MAKES(memfd_create, kFile, (const char* name, unsigned flags), (name, flags))
REDFLAG_MAKES(socket, kSocket, (int domain, int type, int protocol), (domain, type, protocol))
REDFLAG_MAKES(eventfd, kOwn, (unsigned value, int flags), (value, flags))
REDFLAG_MAKES(epoll_create, kOwn, (int size), (size))
REDFLAG_MAKES(epoll_create1, kOwn, (int flags), (flags))
REDFLAG_MAKES(timerfd_create, kSilent, (int clock, int flags), (clock, flags))
REDFLAG_MAKES(inotify_init1, kSilent, (int flags), (flags))

REDFLAG_INTERCEPT(int, inotify_init, ) {
  REDFLAG_CALL(inotify_init);
  return opened(call, REDFLAG_REAL(inotify_init)(), DescriptorKind::kSilent);
}

REDFLAG_INTERCEPT(int, signalfd, int fd, const sigset_t* mask, int flags) {
  REDFLAG_CALL(signalfd);
  if (fd >= 0) fd_closing(call, fd);
  return opened(call, REDFLAG_REAL(signalfd)(fd, mask, flags), DescriptorKind::kSilent);
}

REDFLAG_INTERCEPT(int, close, int fd) {
  REDFLAG_CALL(close);
  fd_closing(call, fd);
  return REDFLAG_REAL(close)(fd);
}

REDFLAG_INTERCEPT(int, dup, int fd) {
  REDFLAG_CALL(dup);
  const int copy = REDFLAG_REAL(dup)(fd);
  fd_copied(call, fd, copy);
  return copy;
}

REDFLAG_INTERCEPT(int, dup2, int fd, int wanted) {
  REDFLAG_CALL(dup2);
  const int copy = REDFLAG_REAL(dup2)(fd, wanted);
  fd_copied(call, fd, copy, true);
  return copy;
}

REDFLAG_INTERCEPT(int, dup3, int fd, int wanted, int flags) {
  REDFLAG_CALL(dup3);
  const int copy = REDFLAG_REAL(dup3)(fd, wanted, flags);
  fd_copied(call, fd, copy, true);
  return copy;
}

namespace {

bool is_file_lock(int command) {
  return command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK ||
         command == F_OFD_SETLKW;
}

bool unlocks_file(int command, const void* argument) {
  return is_file_lock(command) && argument != nullptr &&
         static_cast<const struct flock*>(argument)->l_type == F_UNLCK;
}

}  // namespace

#define REDFLAG_FCNTL(name)                                                            \
  REDFLAG_INTERCEPT(int, name, int fd, int command, void* argument) {                  \
    REDFLAG_CALL(name);                                                                \
    const bool unlocks = unlocks_file(command, argument);                              \
    if (unlocks) file_unlocking(call, fd);                                             \
    const int result = REDFLAG_REAL(name)(fd, command, argument);                      \
    if (result == 0 && is_file_lock(command) && !unlocks) file_locked(call, fd);       \
    if (command == F_DUPFD || command == F_DUPFD_CLOEXEC) fd_copied(call, fd, result); \
    return result;                                                                     \
  }
REDFLAG_FCNTL(fcntl)
REDFLAG_FCNTL(fcntl64)

REDFLAG_INTERCEPT(int, pipe, int* ends) {
  REDFLAG_CALL(pipe);
  const int result = REDFLAG_REAL(pipe)(ends);
  if (result == 0) {
    written(call, ends, 2 * sizeof *ends);
    fd_pair_opened(call, ends[0], ends[1]);
  }
  return result;
}

REDFLAG_INTERCEPT(int, pipe2, int* ends, int flags) {
  REDFLAG_CALL(pipe2);
  const int result = REDFLAG_REAL(pipe2)(ends, flags);
  if (result == 0) {
    written(call, ends, 2 * sizeof *ends);
    fd_pair_opened(call, ends[0], ends[1]);
  }
  return result;
}

REDFLAG_INTERCEPT(int, socketpair, int domain, int type, int protocol, int* ends) {
  REDFLAG_CALL(socketpair);
  const int result = REDFLAG_REAL(socketpair)(domain, type, protocol, ends);
  if (result == 0) {
    written(call, ends, 2 * sizeof *ends);
    fd_pair_opened(call, ends[0], ends[1]);
  }
  return result;
}

REDFLAG_INTERCEPT(int, connect, int fd, const sockaddr* address, socklen_t n) {
  REDFLAG_CALL(connect);
  fd_used(call, fd);
  connecting(call);
  const int result = REDFLAG_REAL(connect)(fd, address, n);
  if (result == 0) fd_opened(call, fd, DescriptorKind::kSocket, true);
  return result;
}

REDFLAG_INTERCEPT(int, bind, int fd, const sockaddr* address, socklen_t n) {
  REDFLAG_CALL(bind);
  fd_used(call, fd);
  return REDFLAG_REAL(bind)(fd, address, n);
}

REDFLAG_INTERCEPT(int, listen, int fd, int backlog) {
  REDFLAG_CALL(listen);
  fd_used(call, fd);
  return REDFLAG_REAL(listen)(fd, backlog);
}

namespace {

int accepted_as(const rt::LibraryCall& call, int fd, int connection, sockaddr* address,
                socklen_t* n) {
  if (connection < 0) return connection;
  fd_used(call, fd);
  accepted(call);
  fd_opened(call, connection, DescriptorKind::kConnection);
  if (address != nullptr && n != nullptr) {
    written(call, n, sizeof *n);
    written(call, address, *n);
  }
  return connection;
}

}  // namespace

REDFLAG_INTERCEPT(int, accept, int fd, sockaddr* address, socklen_t* n) {
  REDFLAG_CALL(accept);
  return accepted_as(call, fd, REDFLAG_REAL(accept)(fd, address, n), address, n);
}

REDFLAG_INTERCEPT(int, accept4, int fd, sockaddr* address, socklen_t* n, int flags) {
  REDFLAG_CALL(accept4);
  return accepted_as(call, fd, REDFLAG_REAL(accept4)(fd, address, n, flags), address, n);
}

// --- Waiting for several ------------------------------------------------------------------------
REDFLAG_INTERCEPT(int, epoll_ctl, int poll, int operation, int fd, epoll_event* event) {
  REDFLAG_CALL(epoll_ctl);
  fd_used(call, poll);
  fd_used(call, fd);
  if (operation == EPOLL_CTL_ADD) {
    fd_watched(call, poll, fd);
    fd_writing(call, poll);
  }
  return REDFLAG_REAL(epoll_ctl)(poll, operation, fd, event);
}

namespace {

int woken(const rt::LibraryCall& call, int poll, epoll_event* events, int count) {
  if (count > 0) {
    fd_read(call, poll);
    written(call, events, static_cast<std::size_t>(count) * sizeof *events);
  }
  return count;
}

}  // namespace

REDFLAG_INTERCEPT(int, epoll_wait, int poll, epoll_event* events, int room, int most) {
  REDFLAG_CALL(epoll_wait);
  fd_used(call, poll);
  return woken(call, poll, events, REDFLAG_REAL(epoll_wait)(poll, events, room, most));
}

REDFLAG_INTERCEPT(int, epoll_pwait, int poll, epoll_event* events, int room, int most,
                  const sigset_t* mask) {
  REDFLAG_CALL(epoll_pwait);
  fd_used(call, poll);
  return woken(call, poll, events, REDFLAG_REAL(epoll_pwait)(poll, events, room, most, mask));
}

REDFLAG_INTERCEPT(int, poll, pollfd* fds, nfds_t count, int most) {
  REDFLAG_CALL(poll);
  for (nfds_t i = 0; i < count; ++i) fd_used(call, fds[i].fd);
  const int result = REDFLAG_REAL(poll)(fds, count, most);
  if (result >= 0) written(call, fds, count * sizeof *fds);
  return result;
}

REDFLAG_INTERCEPT(int, ppoll, pollfd* fds, nfds_t count, const timespec* most,
                  const sigset_t* mask) {
  REDFLAG_CALL(ppoll);
  for (nfds_t i = 0; i < count; ++i) fd_used(call, fds[i].fd);
  const int result = REDFLAG_REAL(ppoll)(fds, count, most, mask);
  if (result >= 0) written(call, fds, count * sizeof *fds);
  return result;
}

namespace {

void sets_written(const rt::LibraryCall& call, int result, int count, fd_set* r, fd_set* w,
                  fd_set* e) {
  if (result < 0 || count <= 0) return;
  const std::size_t n = (static_cast<std::size_t>(count) + 63) / 64 * 8;
  written(call, r, n);
  written(call, w, n);
  written(call, e, n);
}

}  // namespace

REDFLAG_INTERCEPT(int, select, int count, fd_set* r, fd_set* w, fd_set* e, timeval* most) {
  REDFLAG_CALL(select);
  const int result = REDFLAG_REAL(select)(count, r, w, e, most);
  sets_written(call, result, count, r, w, e);
  if (result >= 0) written(call, most, sizeof *most);
  return result;
}

REDFLAG_INTERCEPT(int, pselect, int count, fd_set* r, fd_set* w, fd_set* e, const timespec* most,
                  const sigset_t* mask) {
  REDFLAG_CALL(pselect);
  const int result = REDFLAG_REAL(pselect)(count, r, w, e, most, mask);
  sets_written(call, result, count, r, w, e);
  return result;
}

}  // namespace redflag::interpose
