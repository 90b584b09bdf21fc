// Reading and writing descriptors and streams: which bytes of the program a call touches, and in
// which order it puts threads (descriptor.h).
//
// A write releases before the real call, since the reader may have the bytes before it returns. Only
// the bytes that were really moved count.
#include <sys/socket.h>
#include <sys/uio.h>

#include <cstdio>

#include "frontends/cpu/interpose/descriptor.h"
#include "frontends/cpu/interpose/intercept.h"

namespace redflag::interpose {
namespace {

void read_bytes(const rt::LibraryCall& call, const void* p, std::size_t n) {
  if (call && p != nullptr && n != 0) rt::read(*call.thread, p, n);
}
void write_bytes(const rt::LibraryCall& call, void* p, std::size_t n) {
  if (call && p != nullptr && n != 0) rt::write(*call.thread, p, n);
}

std::size_t length(const char* s) {
  std::size_t n = 0;
  while (s[n] != 0) ++n;
  return n;
}

// `moved` bytes came in from fd.
ssize_t came(const rt::LibraryCall& call, int fd, void* p, ssize_t moved) {
  if (moved >= 0) fd_read(call, fd);
  if (moved > 0) write_bytes(call, p, static_cast<std::size_t>(moved));
  return moved;
}

ssize_t went(const rt::LibraryCall& call, const void* p, ssize_t moved) {
  if (moved > 0) read_bytes(call, p, static_cast<std::size_t>(moved));
  return moved;
}

// The same for several buffers in a row.
template <class Touch>
void each(const iovec* v, int count, ssize_t moved, const Touch& touch) {
  for (int i = 0; i < count && moved > 0; ++i) {
    const auto left = static_cast<std::size_t>(moved);
    const std::size_t n = v[i].iov_len < left ? v[i].iov_len : left;
    touch(v[i].iov_base, n);
    moved -= static_cast<ssize_t>(n);
  }
}

ssize_t came_in_parts(const rt::LibraryCall& call, int fd, const iovec* v, int count,
                      ssize_t moved) {
  if (moved >= 0) fd_read(call, fd);
  if (call) each(v, count, moved, [&](void* p, std::size_t n) { write_bytes(call, p, n); });
  return moved;
}

ssize_t went_in_parts(const rt::LibraryCall& call, const iovec* v, int count, ssize_t moved) {
  if (call) each(v, count, moved, [&](void* p, std::size_t n) { read_bytes(call, p, n); });
  return moved;
}

}  // namespace

// Calls of one buffer: name, parameters, arguments. All have fd, p and n among them.
#define REDFLAG_UNPACK(...) __VA_ARGS__
#define REDFLAG_COMES(name, parameters, arguments)              \
  REDFLAG_INTERCEPT(ssize_t, name, REDFLAG_UNPACK parameters) { \
    REDFLAG_CALL(name);                                         \
    fd_used(call, fd);                                          \
    return came(call, fd, p, REDFLAG_REAL(name) arguments);     \
  }
#define REDFLAG_GOES(name, parameters, arguments)               \
  REDFLAG_INTERCEPT(ssize_t, name, REDFLAG_UNPACK parameters) { \
    REDFLAG_CALL(name);                                         \
    fd_writing(call, fd);                                       \
    return went(call, p, REDFLAG_REAL(name) arguments);         \
  }
REDFLAG_COMES(read, (int fd, void* p, std::size_t n), (fd, p, n))
REDFLAG_COMES(__read_chk, (int fd, void* p, std::size_t n, std::size_t room), (fd, p, n, room))
REDFLAG_COMES(pread, (int fd, void* p, std::size_t n, off_t at), (fd, p, n, at))
REDFLAG_COMES(pread64, (int fd, void* p, std::size_t n, off_t at), (fd, p, n, at))
REDFLAG_COMES(recv, (int fd, void* p, std::size_t n, int flags), (fd, p, n, flags))
REDFLAG_COMES(__recv_chk, (int fd, void* p, std::size_t n, std::size_t room, int flags),
              (fd, p, n, room, flags))
REDFLAG_GOES(write, (int fd, const void* p, std::size_t n), (fd, p, n))
REDFLAG_GOES(pwrite, (int fd, const void* p, std::size_t n, off_t at), (fd, p, n, at))
REDFLAG_GOES(pwrite64, (int fd, const void* p, std::size_t n, off_t at), (fd, p, n, at))
REDFLAG_GOES(send, (int fd, const void* p, std::size_t n, int flags), (fd, p, n, flags))
REDFLAG_GOES(sendto,
             (int fd, const void* p, std::size_t n, int flags, const sockaddr* to, socklen_t size),
             (fd, p, n, flags, to, size))

REDFLAG_INTERCEPT(ssize_t, recvfrom, int fd, void* p, std::size_t n, int flags, sockaddr* from,
                  socklen_t* size) {
  REDFLAG_CALL(recvfrom);
  fd_used(call, fd);
  const ssize_t moved = came(call, fd, p, REDFLAG_REAL(recvfrom)(fd, p, n, flags, from, size));
  if (moved >= 0 && from != nullptr && size != nullptr) {
    write_bytes(call, size, sizeof *size);
    write_bytes(call, from, *size);
  }
  return moved;
}

#define REDFLAG_COMES_IN_PARTS(name, parameters, arguments)                 \
  REDFLAG_INTERCEPT(ssize_t, name, REDFLAG_UNPACK parameters) {             \
    REDFLAG_CALL(name);                                                     \
    fd_used(call, fd);                                                      \
    return came_in_parts(call, fd, v, count, REDFLAG_REAL(name) arguments); \
  }
#define REDFLAG_GOES_IN_PARTS(name, parameters, arguments)              \
  REDFLAG_INTERCEPT(ssize_t, name, REDFLAG_UNPACK parameters) {         \
    REDFLAG_CALL(name);                                                 \
    fd_writing(call, fd);                                               \
    return went_in_parts(call, v, count, REDFLAG_REAL(name) arguments); \
  }
REDFLAG_COMES_IN_PARTS(readv, (int fd, const iovec* v, int count), (fd, v, count))
REDFLAG_COMES_IN_PARTS(preadv, (int fd, const iovec* v, int count, off_t at), (fd, v, count, at))
REDFLAG_COMES_IN_PARTS(preadv64, (int fd, const iovec* v, int count, off_t at), (fd, v, count, at))
REDFLAG_GOES_IN_PARTS(writev, (int fd, const iovec* v, int count), (fd, v, count))
REDFLAG_GOES_IN_PARTS(pwritev, (int fd, const iovec* v, int count, off_t at), (fd, v, count, at))
REDFLAG_GOES_IN_PARTS(pwritev64, (int fd, const iovec* v, int count, off_t at), (fd, v, count, at))

REDFLAG_INTERCEPT(ssize_t, recvmsg, int fd, msghdr* m, int flags) {
  REDFLAG_CALL(recvmsg);
  fd_used(call, fd);
  const ssize_t moved = REDFLAG_REAL(recvmsg)(fd, m, flags);
  came_in_parts(call, fd, m->msg_iov, static_cast<int>(m->msg_iovlen), moved);
  if (moved >= 0) {
    write_bytes(call, m->msg_name, m->msg_namelen);
    write_bytes(call, m->msg_control, m->msg_controllen);
  }
  return moved;
}

REDFLAG_INTERCEPT(ssize_t, sendmsg, int fd, const msghdr* m, int flags) {
  REDFLAG_CALL(sendmsg);
  fd_writing(call, fd);
  return went_in_parts(call, m->msg_iov, static_cast<int>(m->msg_iovlen),
                       REDFLAG_REAL(sendmsg)(fd, m, flags));
}

REDFLAG_INTERCEPT(int, recvmmsg, int fd, mmsghdr* m, unsigned count, int flags, timespec* most) {
  REDFLAG_CALL(recvmmsg);
  fd_used(call, fd);
  const int done = REDFLAG_REAL(recvmmsg)(fd, m, count, flags, most);
  for (int i = 0; i < done; ++i) {
    came_in_parts(call, fd, m[i].msg_hdr.msg_iov, static_cast<int>(m[i].msg_hdr.msg_iovlen),
                  m[i].msg_len);
    write_bytes(call, &m[i].msg_len, sizeof m[i].msg_len);
  }
  return done;
}

REDFLAG_INTERCEPT(int, sendmmsg, int fd, mmsghdr* m, unsigned count, int flags) {
  REDFLAG_CALL(sendmmsg);
  fd_writing(call, fd);
  const int done = REDFLAG_REAL(sendmmsg)(fd, m, count, flags);
  for (int i = 0; i < done; ++i) {
    went_in_parts(call, m[i].msg_hdr.msg_iov, static_cast<int>(m[i].msg_hdr.msg_iovlen),
                  m[i].msg_len);
  }
  return done;
}

#define REDFLAG_SENDFILE(name)                                                   \
  REDFLAG_INTERCEPT(ssize_t, name, int to, int from, off_t* at, std::size_t n) { \
    REDFLAG_CALL(name);                                                          \
    fd_used(call, from);                                                         \
    fd_writing(call, to);                                                        \
    const ssize_t moved = REDFLAG_REAL(name)(to, from, at, n);                   \
    if (moved >= 0) {                                                            \
      fd_read(call, from);                                                       \
      write_bytes(call, at, sizeof *at);                                         \
    }                                                                            \
    return moved;                                                                \
  }
REDFLAG_SENDFILE(sendfile)
REDFLAG_SENDFILE(sendfile64)

// --- Streams ------------------------------------------------------------------------------------
// A stream orders nothing by itself, whatever its lock does: as for ThreadSanitizer.
#define REDFLAG_FOPEN(name)                                                \
  REDFLAG_INTERCEPT(FILE*, name, const char* path, const char* mode) {     \
    REDFLAG_CALL(name);                                                    \
    FILE* const f = REDFLAG_REAL(name)(path, mode);                        \
    if (call && path != nullptr) read_bytes(call, path, length(path) + 1); \
    if (f != nullptr) fd_opened(call, fileno(f), DescriptorKind::kFile);   \
    return f;                                                              \
  }
REDFLAG_FOPEN(fopen)
REDFLAG_FOPEN(fopen64)

REDFLAG_INTERCEPT(int, fclose, FILE* f) {
  REDFLAG_CALL(fclose);
  if (f != nullptr) fd_closing(call, fileno(f));
  return REDFLAG_REAL(fclose)(f);
}

REDFLAG_INTERCEPT(std::size_t, fread, void* p, std::size_t size, std::size_t count, FILE* f) {
  REDFLAG_CALL(fread);
  const std::size_t done = REDFLAG_REAL(fread)(p, size, count, f);
  write_bytes(call, p, done * size);
  return done;
}

REDFLAG_INTERCEPT(std::size_t, fwrite, const void* p, std::size_t size, std::size_t count,
                  FILE* f) {
  REDFLAG_CALL(fwrite);
  read_bytes(call, p, size * count);
  return REDFLAG_REAL(fwrite)(p, size, count, f);
}

REDFLAG_INTERCEPT(char*, fgets, char* p, int n, FILE* f) {
  REDFLAG_CALL(fgets);
  char* const result = REDFLAG_REAL(fgets)(p, n, f);
  if (call && result != nullptr) write_bytes(call, p, length(p) + 1);
  return result;
}

REDFLAG_INTERCEPT(int, fputs, const char* s, FILE* f) {
  REDFLAG_CALL(fputs);
  if (call) read_bytes(call, s, length(s) + 1);
  return REDFLAG_REAL(fputs)(s, f);
}

REDFLAG_INTERCEPT(int, puts, const char* s) {
  REDFLAG_CALL(puts);
  if (call) read_bytes(call, s, length(s) + 1);
  return REDFLAG_REAL(puts)(s);
}

namespace {

ssize_t got_line(const rt::LibraryCall& call, char** line, std::size_t* room, ssize_t n) {
  if (n <= 0) return n;
  write_bytes(call, line, sizeof *line);
  write_bytes(call, room, sizeof *room);
  write_bytes(call, *line, static_cast<std::size_t>(n) + 1);
  return n;
}

}  // namespace

REDFLAG_INTERCEPT(ssize_t, getline, char** line, std::size_t* room, FILE* f) {
  REDFLAG_CALL(getline);
  return got_line(call, line, room, REDFLAG_REAL(getline)(line, room, f));
}

REDFLAG_INTERCEPT(ssize_t, getdelim, char** line, std::size_t* room, int stop, FILE* f) {
  REDFLAG_CALL(getdelim);
  return got_line(call, line, room, REDFLAG_REAL(getdelim)(line, room, stop, f));
}

REDFLAG_INTERCEPT(ssize_t, __getdelim, char** line, std::size_t* room, int stop, FILE* f) {
  REDFLAG_CALL(getdelim);
  return got_line(call, line, room, REDFLAG_REAL(__getdelim)(line, room, stop, f));
}

}  // namespace redflag::interpose
