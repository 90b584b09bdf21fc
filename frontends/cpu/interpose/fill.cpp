// Library calls that fill memory of the program, as a table: parameters, and what is written when.
//
// libc is not instrumented, so without this the bytes it writes would be written by nobody: races on
// them would be missed, and memory that is handed on would keep its past. A row is
//   REDFLAG_FILLS(result, name, (parameters), (arguments), succeeded, pointer, bytes)
// where `r` is the result. Calls that fill two things are written out.
#include <arpa/inet.h>
#include <dirent.h>
#include <netdb.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <sys/wait.h>

#include <climits>
#include <ctime>

#include "frontends/cpu/interpose/intercept.h"

namespace redflag::interpose {
namespace {

std::size_t string_size(const char* s) {
  std::size_t n = 0;
  while (s[n] != 0) ++n;
  return n + 1;
}

void fill(const rt::LibraryCall& call, void* p, std::size_t n) {
  if (call && p != nullptr && n != 0) rt::write(*call.thread, p, n);
}

}  // namespace

#define REDFLAG_UNPACK(...) __VA_ARGS__
#define REDFLAG_FILLS(result, name, parameters, arguments, succeeded, pointer, bytes) \
  REDFLAG_INTERCEPT(result, name, REDFLAG_UNPACK parameters) {                        \
    REDFLAG_CALL(name);                                                               \
    const auto r = REDFLAG_REAL(name) arguments;                                      \
    if (call && (succeeded) && (pointer) != nullptr) fill(call, pointer, bytes);      \
    return r;                                                                         \
  }

// clang-format off
// --- Files
REDFLAG_FILLS(int, stat, (const char* path, struct stat* s), (path, s), r == 0, s, sizeof *s)
REDFLAG_FILLS(int, stat64, (const char* path, struct stat* s), (path, s), r == 0, s, sizeof *s)
REDFLAG_FILLS(int, lstat, (const char* path, struct stat* s), (path, s), r == 0, s, sizeof *s)
REDFLAG_FILLS(int, lstat64, (const char* path, struct stat* s), (path, s), r == 0, s, sizeof *s)
REDFLAG_FILLS(int, fstat, (int fd, struct stat* s), (fd, s), r == 0, s, sizeof *s)
REDFLAG_FILLS(int, fstat64, (int fd, struct stat* s), (fd, s), r == 0, s, sizeof *s)
REDFLAG_FILLS(int, fstatat, (int fd, const char* path, struct stat* s, int flags), (fd, path, s, flags), r == 0, s, sizeof *s)
REDFLAG_FILLS(int, fstatat64, (int fd, const char* path, struct stat* s, int flags), (fd, path, s, flags), r == 0, s, sizeof *s)
REDFLAG_FILLS(int, statfs, (const char* path, struct statfs* s), (path, s), r == 0, s, sizeof *s)
REDFLAG_FILLS(int, fstatfs, (int fd, struct statfs* s), (fd, s), r == 0, s, sizeof *s)
REDFLAG_FILLS(int, statvfs, (const char* path, struct statvfs* s), (path, s), r == 0, s, sizeof *s)
REDFLAG_FILLS(int, fstatvfs, (int fd, struct statvfs* s), (fd, s), r == 0, s, sizeof *s)
REDFLAG_FILLS(ssize_t, readlink, (const char* path, char* to, std::size_t n), (path, to, n), r > 0, to, static_cast<std::size_t>(r))
REDFLAG_FILLS(ssize_t, readlinkat, (int fd, const char* path, char* to, std::size_t n), (fd, path, to, n), r > 0, to, static_cast<std::size_t>(r))
REDFLAG_FILLS(char*, getcwd, (char* to, std::size_t n), (to, n), r != nullptr, to, string_size(to))
REDFLAG_FILLS(dirent*, readdir, (DIR* d), (d), r != nullptr, r, r->d_reclen)
REDFLAG_FILLS(dirent64*, readdir64, (DIR* d), (d), r != nullptr, r, r->d_reclen)

// --- Time
REDFLAG_FILLS(int, gettimeofday, (timeval* t, void* zone), (t, zone), r == 0, t, sizeof *t)
REDFLAG_FILLS(int, clock_gettime, (clockid_t clock, timespec* t), (clock, t), r == 0, t, sizeof *t)
REDFLAG_FILLS(int, clock_getres, (clockid_t clock, timespec* t), (clock, t), r == 0, t, sizeof *t)
REDFLAG_FILLS(int, timespec_get, (timespec* t, int base), (t, base), r != 0, t, sizeof *t)
REDFLAG_FILLS(time_t, time, (time_t* t), (t), r != -1, t, sizeof *t)
REDFLAG_FILLS(tm*, localtime_r, (const time_t* t, tm* to), (t, to), r != nullptr, to, sizeof *to)
REDFLAG_FILLS(tm*, gmtime_r, (const time_t* t, tm* to), (t, to), r != nullptr, to, sizeof *to)
REDFLAG_FILLS(char*, ctime_r, (const time_t* t, char* to), (t, to), r != nullptr, to, string_size(to))
REDFLAG_FILLS(char*, asctime_r, (const tm* t, char* to), (t, to), r != nullptr, to, string_size(to))
REDFLAG_FILLS(std::size_t, strftime, (char* to, std::size_t n, const char* format, const tm* t), (to, n, format, t), r != 0, to, r + 1)
REDFLAG_FILLS(char*, strptime, (const char* s, const char* format, tm* to), (s, format, to), r != nullptr, to, sizeof *to)
REDFLAG_FILLS(int, getitimer, (int which, itimerval* t), (which, t), r == 0, t, sizeof *t)
REDFLAG_FILLS(int, setitimer, (int which, const itimerval* t, itimerval* old), (which, t, old), r == 0, old, sizeof *old)
REDFLAG_FILLS(int, nanosleep, (const timespec* t, timespec* left), (t, left), r != 0, left, sizeof *left)
REDFLAG_FILLS(clock_t, times, (tms* t), (t), r != -1, t, sizeof *t)

// --- The system and the process
REDFLAG_FILLS(int, uname, (utsname* u), (u), r == 0, u, sizeof *u)
REDFLAG_FILLS(int, sysinfo, (struct sysinfo* s), (s), r == 0, s, sizeof *s)
REDFLAG_FILLS(int, getrlimit, (int which, rlimit* l), (which, l), r == 0, l, sizeof *l)
REDFLAG_FILLS(int, getrlimit64, (int which, rlimit* l), (which, l), r == 0, l, sizeof *l)
REDFLAG_FILLS(int, getrusage, (int who, rusage* u), (who, u), r == 0, u, sizeof *u)
REDFLAG_FILLS(int, gethostname, (char* to, std::size_t n), (to, n), r == 0, to, string_size(to))
REDFLAG_FILLS(ssize_t, getrandom, (void* to, std::size_t n, unsigned flags), (to, n, flags), r > 0, to, static_cast<std::size_t>(r))
REDFLAG_FILLS(int, getentropy, (void* to, std::size_t n), (to, n), r == 0, to, n)
REDFLAG_FILLS(int, rand_r, (unsigned* seed), (seed), true, seed, sizeof *seed)
REDFLAG_FILLS(int, getloadavg, (double* to, int n), (to, n), r > 0, to, static_cast<std::size_t>(r) * sizeof *to)

// --- Network
REDFLAG_FILLS(int, inet_pton, (int family, const char* from, void* to), (family, from, to), r == 1, to, family == AF_INET6 ? sizeof(in6_addr) : sizeof(in_addr))
REDFLAG_FILLS(const char*, inet_ntop, (int family, const void* from, char* to, socklen_t n), (family, from, to, n), r != nullptr, to, string_size(to))
REDFLAG_FILLS(int, inet_aton, (const char* from, in_addr* to), (from, to), r != 0, to, sizeof *to)
REDFLAG_FILLS(int, getaddrinfo, (const char* node, const char* service, const addrinfo* hints, addrinfo** to), (node, service, hints, to), r == 0, to, sizeof *to)
// clang-format on

// --- Two things at once ---------------------------------------------------------------------------
REDFLAG_INTERCEPT(int, getsockname, int fd, sockaddr* address, socklen_t* n) {
  REDFLAG_CALL(getsockname);
  const int result = REDFLAG_REAL(getsockname)(fd, address, n);
  if (result == 0) {
    fill(call, n, sizeof *n);
    fill(call, address, *n);
  }
  return result;
}

REDFLAG_INTERCEPT(int, getpeername, int fd, sockaddr* address, socklen_t* n) {
  REDFLAG_CALL(getpeername);
  const int result = REDFLAG_REAL(getpeername)(fd, address, n);
  if (result == 0) {
    fill(call, n, sizeof *n);
    fill(call, address, *n);
  }
  return result;
}

REDFLAG_INTERCEPT(int, getsockopt, int fd, int level, int name, void* value, socklen_t* n) {
  REDFLAG_CALL(getsockopt);
  const int result = REDFLAG_REAL(getsockopt)(fd, level, name, value, n);
  if (result == 0) {
    fill(call, n, sizeof *n);
    fill(call, value, *n);
  }
  return result;
}

// With a null second argument the result is a block of malloc's.
REDFLAG_INTERCEPT_VERSION("GLIBC_2.3", char*, realpath, const char* path, char* to) {
  REDFLAG_CALL(realpath);
  char* const result = REDFLAG_REAL(realpath)(path, to);
  if (call && result != nullptr) fill(call, result, string_size(result));
  return result;
}

REDFLAG_INTERCEPT(int, readdir_r, DIR* d, dirent* entry, dirent** result) {
  REDFLAG_CALL(readdir_r);
  const int error = REDFLAG_REAL(readdir_r)(d, entry, result);
  if (error == 0) {
    fill(call, result, sizeof *result);
    if (*result != nullptr) fill(call, *result, (*result)->d_reclen);
  }
  return error;
}

// The number itself is read, and where it ended is written.
#define REDFLAG_NUMBER(result, name)                                             \
  REDFLAG_INTERCEPT(result, name, const char* s, char** end, int base) {         \
    REDFLAG_CALL(name);                                                          \
    char* stop = nullptr;                                                        \
    const result value = REDFLAG_REAL(name)(s, &stop, base);                     \
    if (call) rt::read(*call.thread, s, static_cast<std::size_t>(stop - s) + 1); \
    if (end != nullptr) {                                                        \
      *end = stop;                                                               \
      fill(call, end, sizeof *end);                                              \
    }                                                                            \
    return value;                                                                \
  }
REDFLAG_NUMBER(long, strtol)
REDFLAG_NUMBER(long long, strtoll)
REDFLAG_NUMBER(unsigned long, strtoul)
REDFLAG_NUMBER(unsigned long long, strtoull)

}  // namespace redflag::interpose
