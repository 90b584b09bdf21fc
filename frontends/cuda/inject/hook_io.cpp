// Functions of the C library that hand memory to the kernel: managed memory that is closed (checker_managed.cpp)
// would make them fail, so the thread may access it while they work.
//
// What they do there is not told. Whoever calls the kernel by other ways, or has its buffers in another
// library's hands, gets EFAULT for memory that a running kernel uses.
#include <dlfcn.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

#include <cstddef>
#include <cstdio>

#include "frontends/cuda/watch/keyed.h"

namespace redflag::inject {
void* next_dlsym(void* handle, const char* name);  // dlsym.cpp
}

// NOLINTBEGIN(bugprone-macro-parentheses): a type and a list of parameters
#define REDFLAG_PASS(type, name, parameters, arguments)                             \
  extern "C" __attribute__((visibility("default"))) type name parameters;           \
  extern "C" type name parameters {                                                 \
    using Function = type parameters;                                               \
    static auto* const next =                                                       \
        reinterpret_cast<Function*>(redflag::inject::next_dlsym(RTLD_NEXT, #name)); \
    const redflag::watch::Allowed allowed;                                          \
    return next arguments;                                                          \
  }
// NOLINTEND(bugprone-macro-parentheses)

REDFLAG_PASS(ssize_t, read, (int file, void* to, std::size_t bytes), (file, to, bytes))
REDFLAG_PASS(ssize_t, pread, (int file, void* to, std::size_t bytes, off_t at),
             (file, to, bytes, at))
REDFLAG_PASS(ssize_t, pread64, (int file, void* to, std::size_t bytes, off64_t at),
             (file, to, bytes, at))
REDFLAG_PASS(ssize_t, readv, (int file, const iovec* to, int count), (file, to, count))
REDFLAG_PASS(ssize_t, write, (int file, const void* from, std::size_t bytes), (file, from, bytes))
REDFLAG_PASS(ssize_t, pwrite, (int file, const void* from, std::size_t bytes, off_t at),
             (file, from, bytes, at))
REDFLAG_PASS(ssize_t, pwrite64, (int file, const void* from, std::size_t bytes, off64_t at),
             (file, from, bytes, at))
REDFLAG_PASS(ssize_t, writev, (int file, const iovec* from, int count), (file, from, count))
REDFLAG_PASS(ssize_t, recv, (int socket, void* to, std::size_t bytes, int flags),
             (socket, to, bytes, flags))
REDFLAG_PASS(ssize_t, recvmsg, (int socket, msghdr* to, int flags), (socket, to, flags))
REDFLAG_PASS(ssize_t, send, (int socket, const void* from, std::size_t bytes, int flags),
             (socket, from, bytes, flags))
REDFLAG_PASS(ssize_t, sendmsg, (int socket, const msghdr* from, int flags), (socket, from, flags))
REDFLAG_PASS(std::size_t, fread, (void* to, std::size_t size, std::size_t count, FILE* file),
             (to, size, count, file))
REDFLAG_PASS(std::size_t, fwrite,
             (const void* from, std::size_t size, std::size_t count, FILE* file),
             (from, size, count, file))
REDFLAG_PASS(ssize_t, recvfrom,
             (int socket, void* to, std::size_t bytes, int flags, sockaddr* of, socklen_t* size),
             (socket, to, bytes, flags, of, size))
REDFLAG_PASS(ssize_t, sendto,
             (int socket, const void* from, std::size_t bytes, int flags, const sockaddr* to,
              socklen_t size),
             (socket, from, bytes, flags, to, size))

// What -D_FORTIFY_SOURCE makes of them; `room` is what the compiler knows of the buffer.
// NOLINTBEGIN(bugprone-reserved-identifier): the names are the C library's
REDFLAG_PASS(ssize_t, __read_chk, (int file, void* to, std::size_t bytes, std::size_t room),
             (file, to, bytes, room))
REDFLAG_PASS(ssize_t, __pread_chk,
             (int file, void* to, std::size_t bytes, off_t at, std::size_t room),
             (file, to, bytes, at, room))
REDFLAG_PASS(ssize_t, __pread64_chk,
             (int file, void* to, std::size_t bytes, off64_t at, std::size_t room),
             (file, to, bytes, at, room))
REDFLAG_PASS(ssize_t, __recv_chk,
             (int socket, void* to, std::size_t bytes, std::size_t room, int flags),
             (socket, to, bytes, room, flags))
REDFLAG_PASS(ssize_t, __recvfrom_chk,
             (int socket, void* to, std::size_t bytes, std::size_t room, int flags, sockaddr* of,
              socklen_t* size),
             (socket, to, bytes, room, flags, of, size))
REDFLAG_PASS(std::size_t, __fread_chk,
             (void* to, std::size_t room, std::size_t size, std::size_t count, FILE* file),
             (to, room, size, count, file))
// NOLINTEND(bugprone-reserved-identifier)
