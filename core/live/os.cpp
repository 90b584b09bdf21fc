#include "core/live/os.h"

#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <ctime>

namespace redflag::live {

std::intptr_t os_syscall(long number, long a, long b, long c, long d, long e, long f) {
  std::intptr_t result = 0;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
}

namespace {
long word(const void* p) {
  return reinterpret_cast<long>(p);
}
bool failed(std::intptr_t result) {
  return result < 0 && result > -4096;
}
}  // namespace

void os_die(const char* message) {
  std::size_t n = 0;
  while (message[n] != 0) ++n;
  os_syscall(SYS_write, 2, word(message), static_cast<long>(n));
  os_syscall(SYS_exit_group, 70);
  __builtin_trap();
}

void* os_map(std::size_t bytes) {
  const std::intptr_t p = os_syscall(SYS_mmap, 0, static_cast<long>(bytes), PROT_READ | PROT_WRITE,
                                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (failed(p)) {
    os_die(
        "redflag: no memory left for the detector's own data\n"
        "  raise the limit (ulimit -v, the container's memory), or check a smaller input\n");
  }
  return reinterpret_cast<void*>(p);
}

void os_unmap(void* p, std::size_t bytes) {
  os_syscall(SYS_munmap, word(p), static_cast<long>(bytes));
}

void os_discard(void* p, std::size_t bytes) {
  os_syscall(SYS_madvise, word(p), static_cast<long>(bytes), MADV_DONTNEED);
}

bool os_resident(void* p, std::size_t bytes, unsigned char* pages) {
  return !failed(os_syscall(SYS_mincore, word(p), static_cast<long>(bytes), word(pages)));
}

void os_yield() {
  os_syscall(SYS_sched_yield);
}

void os_nap(std::uint32_t nanoseconds) {
  const timespec time{0, nanoseconds};
  os_syscall(SYS_nanosleep, word(&time));
}

void os_sleep_while(const std::atomic<std::uint32_t>& word, std::uint32_t value) {
  os_syscall(SYS_futex, reinterpret_cast<long>(&word), FUTEX_WAIT_PRIVATE,
             static_cast<long>(value));
}

void os_wake_all(const std::atomic<std::uint32_t>& word) {
  os_syscall(SYS_futex, reinterpret_cast<long>(&word), FUTEX_WAKE_PRIVATE, 1L << 30);
}

bool os_membarrier_ready() {
  return !failed(os_syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED));
}

void os_membarrier() {
  os_syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED);
}

}  // namespace redflag::live
