// System calls of a kernel: printf, assert, the heap, clocks and traps.
//
// clang turns printf into vprintf itself. new and delete are clang's, over malloc and free.
#pragma once

#define REDFLAG_CALL static inline __device__ __attribute__((nodebug, always_inline))

extern "C" {
__device__ int vprintf(const char* format, const char* arguments);
__device__ void free(void*) __attribute__((nothrow));
__device__ void* malloc(size_t) __attribute__((nothrow)) __attribute__((malloc));
__device__ int printf(const char* format, ...);
__device__ void __assertfail(const char* message, const char* file, unsigned line,
                             const char* function, size_t char_size);

// What assert() of the C library calls.
REDFLAG_CALL void __assert_fail(const char* message, const char* file, unsigned line,
                                const char* function) {
  __assertfail(message, file, line, function, sizeof(char));
}
}

REDFLAG_CALL unsigned long long __globaltimer() {
  unsigned long long time;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
  return time;
}
#undef REDFLAG_CALL
