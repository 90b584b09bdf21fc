// The address space: what is mapped anew has no past, and neither has what is unmapped.
//
// munmap forgets before the pages go, since another thread may get them at once; mmap forgets when it
// has them, and tells which file they are if others may map them too. Programs that do these by syscall() are seen too. The calls that libc makes inside itself
// are not; what matters of them is done elsewhere: thread stacks in thread.cpp, large heap blocks in
// malloc.cpp, libraries in dl.cpp, named semaphores in sem.cpp.
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "frontends/cpu/interpose/intercept.h"
#include "frontends/cpu/interpose/parts.h"

namespace redflag::interpose {
namespace {

constexpr std::size_t kPage = 4096;

std::size_t whole_pages(std::size_t n) {
  return (n + kPage - 1) & ~(kPage - 1);
}

void mapped(const rt::LibraryCall& call, void* p, std::size_t n) {
  if (call && p != MAP_FAILED) rt::memory_remapped(p, whole_pages(n));
}

// The same, by mmap: what the pages are matters if they may be mapped elsewhere too.
void mapped(const rt::LibraryCall& call, void* p, std::size_t n, int protection, int flags, int fd,
            off_t offset) {
  mapped(call, p, n);
  if (!call || p == MAP_FAILED || (flags & MAP_SHARED) == 0) return;
  if ((flags & MAP_ANONYMOUS) != 0) return rt::memory_is_shared(p, whole_pages(n));
  rt::memory_is_file(p, whole_pages(n), fd, static_cast<std::uint64_t>(offset),
                     (protection & PROT_WRITE) != 0);
}

// Only what the kernel will accept: pages, in the half of the address space that programs have.
void unmapping(const rt::LibraryCall& call, void* p, std::size_t n) {
  constexpr std::uintptr_t kEnd = std::uintptr_t{1} << 47;
  const auto begin = reinterpret_cast<std::uintptr_t>(p);
  if (!call || n == 0 || begin % kPage != 0 || n > kEnd || begin > kEnd - n) return;
  rt::memory_remapped(p, whole_pages(n));
}

void remapped(const rt::LibraryCall& call, void* old, std::size_t old_size, void* now,
              std::size_t size) {
  if (!call || now == MAP_FAILED) return;
  rt::memory_moved(old, whole_pages(old_size), now, whole_pages(size));
}

// shmdt does not say how much; a program has few of these.
struct Segment {
  const void* at;
  std::size_t size;
};
SpinLock segment_lock;
Segment segments[64];

void segment_attached(const void* at, std::size_t size) {
  SpinGuard guard(segment_lock);
  for (Segment& s : segments) {
    if (s.at != nullptr) continue;
    s = {at, size};
    return;
  }
}

std::size_t segment_detached(const void* at) {
  SpinGuard guard(segment_lock);
  for (Segment& s : segments) {
    if (s.at != at) continue;
    s.at = nullptr;
    return s.size;
  }
  return 0;
}

}  // namespace

REDFLAG_INTERCEPT(void*, mmap, void* at, std::size_t n, int protection, int flags, int fd,
                  off_t offset) {
  REDFLAG_CALL(mmap);
  void* const p = REDFLAG_REAL(mmap)(at, n, protection, flags, fd, offset);
  mapped(call, p, n, protection, flags, fd, offset);
  return p;
}

REDFLAG_INTERCEPT(void*, mmap64, void* at, std::size_t n, int protection, int flags, int fd,
                  off_t offset) {
  REDFLAG_CALL(mmap64);
  void* const p = REDFLAG_REAL(mmap64)(at, n, protection, flags, fd, offset);
  mapped(call, p, n, protection, flags, fd, offset);
  return p;
}

REDFLAG_INTERCEPT(int, munmap, void* p, std::size_t n) {
  REDFLAG_CALL(munmap);
  unmapping(call, p, n);
  return REDFLAG_REAL(munmap)(p, n);
}

// The fourth argument counts only with MREMAP_FIXED; passing what happens to be there is harmless.
REDFLAG_INTERCEPT(void*, mremap, void* old, std::size_t old_size, std::size_t size, int flags,
                  void* at) {
  REDFLAG_CALL(mremap);
  void* const p = REDFLAG_REAL(mremap)(old, old_size, size, flags, at);
  remapped(call, old, old_size, p, size);
  return p;
}

REDFLAG_INTERCEPT(void*, shmat, int id, const void* at, int flags) {
  REDFLAG_CALL(shmat);
  void* const p = REDFLAG_REAL(shmat)(id, at, flags);
  if (!call || p == MAP_FAILED) return p;
  shmid_ds about;
  if (shmctl(id, IPC_STAT, &about) == 0) {
    mapped(call, p, about.shm_segsz);
    rt::memory_is_segment(p, whole_pages(about.shm_segsz), id);
    segment_attached(p, about.shm_segsz);
  }
  return p;
}

REDFLAG_INTERCEPT(int, shmdt, const void* p) {
  REDFLAG_CALL(shmdt);
  const std::size_t n = segment_detached(p);
  unmapping(call, const_cast<void*>(p), n);
  return REDFLAG_REAL(shmdt)(p);
}

// System calls by number. Those that return twice (vfork, clone) must find no frame of ours on the
// stack: everything that is not named here ends in a jump to the original.
REDFLAG_INTERCEPT(long, syscall, long number, long a, long b, long c, long d, long e, long f) {
  const auto real = REDFLAG_REAL(syscall);
  if (REDFLAG_LIKELY(number != SYS_mmap && number != SYS_munmap && number != SYS_mremap &&
                     number != SYS_exit_group)) {
    return real(number, a, b, c, d, e, f);
  }
  REDFLAG_CALL(syscall);
  auto* const p = reinterpret_cast<void*>(a);
  const auto n = static_cast<std::size_t>(b);
  if (number == SYS_exit_group) return real(number, rt::finish(static_cast<int>(a)), 0, 0, 0, 0, 0);
  if (number == SYS_munmap) unmapping(call, p, n);
  const long result = real(number, a, b, c, d, e, f);
  if (number == SYS_mmap) {
    mapped(call, reinterpret_cast<void*>(result), n, static_cast<int>(c), static_cast<int>(d),
           static_cast<int>(e), f);
  }
  if (number == SYS_mremap) {
    remapped(call, p, n, reinterpret_cast<void*>(result), static_cast<std::size_t>(c));
  }
  return result;
}

}  // namespace redflag::interpose
