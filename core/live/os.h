// The few things the live detector asks of the kernel, by raw system calls.
//
// Raw, because inside libredflag the libc functions of these names are the program's to call and
// ours to intercept, and because errno belongs to the program. Linux on x86-64. What cannot go on
// without memory ends the program with a message that says so.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace redflag::live {

// Zeroed memory, committed as it is touched; ends the process with a message when there is none.
void* os_map(std::size_t bytes);
void os_unmap(void* p, std::size_t bytes);
// The pages read as zero again, and their memory is given back.
void os_discard(void* p, std::size_t bytes);
// Which of the pages are in memory, one byte each; false: cannot tell.
bool os_resident(void* p, std::size_t bytes, unsigned char* pages);
void os_yield();
void os_nap(std::uint32_t nanoseconds);
// Sleeps while *word is `value`; and wakes all who do.
void os_sleep_while(const std::atomic<std::uint32_t>& word, std::uint32_t value);
void os_wake_all(const std::atomic<std::uint32_t>& word);
// After this returns, every thread of the process has passed a full memory barrier. False: this
// kernel cannot, and threads must use barriers of their own.
bool os_membarrier_ready();
void os_membarrier();
[[noreturn]] void os_die(const char* message);

std::intptr_t os_syscall(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0,
                         long f = 0);

inline constexpr std::size_t kOsPage = 4096;

// memset and memcpy by one instruction each: the functions of these names are the program's to call
// and ours to intercept.
inline void os_zero(void* p, std::size_t bytes) {
  asm volatile("rep stosb" : "+D"(p), "+c"(bytes) : "a"(0) : "memory");
}
inline bool os_equal(const void* a, const void* b, std::size_t bytes) {
  const auto* x = static_cast<const char*>(a);
  const auto* y = static_cast<const char*>(b);
  for (std::size_t i = 0; i < bytes; ++i) {
    if (x[i] != y[i]) return false;
  }
  return true;
}
inline void os_copy(void* to, const void* from, std::size_t bytes) {
  asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}

}  // namespace redflag::live
