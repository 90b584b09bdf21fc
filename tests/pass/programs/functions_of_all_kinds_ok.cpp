// Code that passes seldom see: coroutines, tail calls that must be, jumps of assembly, clones for processors, thread-local segments,
// naked functions, noduplicate calls, builtin setjmp, catch blocks that go round. Two threads do it all, each on what is its own or
// under the lock, and the sums are right.
#include <pthread.h>
#include <setjmp.h>

#include <coroutine>
#include <cstdio>
#include <cstdlib>
#include <exception>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static long table[64], common;
static void* back[5];
long hidden = 64;

struct Walk {
  struct promise_type {
    const long* at = nullptr;
    Walk get_return_object() {
      return Walk{std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(const long& each) {
      at = &each;
      return {};
    }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  ~Walk() { handle.destroy(); }
  std::coroutine_handle<promise_type> handle;
};

// Suspended while it holds nothing, and in the middle of a loop that locks.
static Walk walk(const long* values, long n) {
  long before = 0;
  for (long i = 0; i < n; ++i) before += values[i];
  for (long i = 0; i < n; ++i) {
    pthread_mutex_lock(&m);
    common += values[i] + before - before;
    pthread_mutex_unlock(&m);
    co_yield values[i];
  }
}

__attribute__((noinline)) static long by_coroutine(const long* values, long n) {
  long sum = 0;
  const Walk steps = walk(values, n);
  for (steps.handle.resume(); !steps.handle.done(); steps.handle.resume())
    sum += *steps.handle.promise().at;
  return sum;
}

__attribute__((noinline)) static long by_tail_calls(const long* values, long n, long sum) {
  if (n == 0) return sum;
  [[clang::musttail]] return by_tail_calls(values + 1, n - 1, sum + values[0]);
}

__attribute__((noinline)) static long by_assembly(const long* values, long n) {
  long sum = 0, i = 0;
again:
  sum += values[i++];
  asm goto("cmp %0, %1; jl %l2" : : "r"(n), "r"(i) : "cc" : again);
  return sum;
}

__attribute__((target_clones("avx2", "default"))) long by_clones(const long* values, long n) {
  long sum = 0;
  for (long i = 0; i < n; ++i) sum += values[i];
  return sum;
}

__attribute__((naked, noinline)) static long naked(long) {
  asm("mov %rdi, %rax; ret");
}

__attribute__((noduplicate, noinline)) static void alone() {
  asm volatile("a_name_of_its_own: nop");
}

__attribute__((noinline)) static long by_segment(const long* values, long n) {
  long sum = 0;
  for (long i = 0; i < n; ++i) sum += values[i];
  long self = 0;
  asm("mov %%fs:0, %0" : "=r"(self));
  const auto* const same = reinterpret_cast<const long __attribute__((address_space(257)))*>(0);
  return sum + (*same == self ? 0 : 1);
}

__attribute__((noinline)) static long by_jumps(const long* values, long n, void** to) {
  volatile long done = 0;
  long sum = 0;
  if (__builtin_setjmp(to) == 0) {
    for (long i = 0; i < n; ++i) done = done + values[i];
    __builtin_longjmp(to, 1);
  }
  sum = done;
  return sum;
}

__attribute__((noinline)) static void may_throw(long i) {
  if (i % 3 == 1) throw i;
}

__attribute__((noinline)) static long by_exceptions(const long* values, long n) {
  long sum = 0, i = 0;
  for (;;) {
    try {
      for (; i < n; ++i) {
        may_throw(i);
        sum += values[i];
      }
      return sum;
    } catch (long thrown) {
      sum += values[i++];
    }
  }
}

__attribute__((no_sanitize("thread"), noinline)) static long by_unchecked(const long* values,
                                                                          long n) {
  long sum = 0;
  for (long i = 0; i < n; ++i) sum += naked(values[i]);
  return sum;
}

static void* work(void* result) {
  const long n = hidden;
  long sum = by_coroutine(table, n) + by_tail_calls(table, n, 0) + by_assembly(table, n) +
             by_clones(table, n) + by_segment(table, n) + by_exceptions(table, n) +
             by_unchecked(table, n);
  void* mine[5];
  sum += by_jumps(table, n, result == nullptr ? back : mine);
  alone();
  if (sum != 8 * (n * (n - 1) / 2)) {
    std::printf("the sum is %ld\n", sum);
    std::abort();
  }
  return nullptr;
}

int main() {
  for (long i = 0; i < hidden; ++i) table[i] = i;
  pthread_t one, other;
  pthread_create(&one, nullptr, work, nullptr);
  pthread_create(&other, nullptr, work, &one);
  pthread_join(one, nullptr);
  pthread_join(other, nullptr);
}
