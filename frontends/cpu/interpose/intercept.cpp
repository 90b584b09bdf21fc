#include "frontends/cpu/interpose/intercept.h"

#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "frontends/cpu/linkage/originals.h"

// The linker makes these for a section whose name is an identifier.
extern "C" __attribute__((visibility("hidden"))) redflag::interpose::Real __start_redflag_real[];
extern "C" __attribute__((visibility("hidden"))) redflag::interpose::Real __stop_redflag_real[];

namespace redflag::interpose {
namespace {

thread_local int looking = 0;
bool start_done = false;

// A system call past everything that is intercepted, errno untouched.
long raw_call(long number, long a, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0) {
#if defined(__x86_64__)
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
#else
#error "libredflag knows the system calls of x86-64 only: add raw_call for this machine"
#endif
}

}  // namespace

void* Real::look_up() {
  ++looking;
  void* const p = linkage::find_original(name, version);
  --looking;
  __atomic_store_n(&at, p, __ATOMIC_RELAXED);
  return p;
}

bool looking_up() {
  return looking > 0;
}

bool started() {
  return __atomic_load_n(&start_done, __ATOMIC_RELAXED);
}

void SpinLock::lock() {
  for (int tries = 0; __atomic_exchange_n(&held_, 1, __ATOMIC_ACQUIRE) != 0; ++tries) {
    while (__atomic_load_n(&held_, __ATOMIC_RELAXED) != 0) {
      if (++tries < 100) {
        __builtin_ia32_pause();
      } else {
        raw_call(SYS_sched_yield, 0);
      }
    }
  }
}

void* map_pages(std::size_t n) {
  const long p = raw_call(SYS_mmap, 0, static_cast<long>(n), PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return p < 0 && p > -4096 ? nullptr : reinterpret_cast<void*>(p);
}

void unmap_pages(void* p, std::size_t n) {
  raw_call(SYS_munmap, reinterpret_cast<long>(p), static_cast<long>(n));
}

// As early as a program may ask for a constructor: before its own globals are made. Interceptors
// called earlier look their originals up themselves.
__attribute__((constructor(101))) static void start() {
  for (Real* r = __start_redflag_real; r != __stop_redflag_real; ++r) r->get();
  start_linker();
  start_threads();
  start_signals();
  start_exit();
  start_futures();
  __atomic_store_n(&start_done, true, __ATOMIC_RELEASE);
}

}  // namespace redflag::interpose
