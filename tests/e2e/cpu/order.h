// Puts the steps of a program's threads in a chosen order without ordering them in the eyes of a
// detector.
//
// A race that happens only sometimes makes a poor test. Here the first access is made,
// order_reached(1) says so, and the thread of the second access waits in order_await(1): every run
// has the two accesses, in that order. A detector must not take this for synchronisation, so
// nothing here is instrumented or intercepted: volatile accesses in functions that opt out, and
// system calls made directly. On x86-64 stores become visible in order, so that is enough; other
// machines would need a fence here.
//
// Two accesses that are in an order cannot be made at the same time, so `redflag confirm` could never bring
// them together. For it the order can be loosened: with ORDER_PATIENCE=MILLISECONDS in the environment
// order_await() waits no longer than that, as a program waits that only sleeps a little.
#ifndef REDFLAG_TESTS_ORDER_H
#define REDFLAG_TESTS_ORDER_H

#include <pthread.h>
#include <stddef.h>

#define ORDER_UNSEEN __attribute__((noinline, unused, no_sanitize("thread")))

// Makes the compiler compute a value (of at most a word) that is otherwise unused.
#define USE(value) __asm__ volatile("" : : "r"(value))
// The same for an object of any size.
#define USE_OBJECT(object) __asm__ volatile("" : : "r"(&(object)) : "memory")

// The number of the last step reached. A program with several processes puts its own into shared memory.
static volatile int order_step;

ORDER_UNSEEN static long order_futex(volatile int* word, int operation, int value,
                                     const long* seconds_and_nanoseconds) {
  long result;
  register long timeout __asm__("r10") = (long)seconds_and_nanoseconds;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(202L), "D"(word), "S"((long)operation), "d"((long)value), "r"(timeout)
                   : "rcx", "r11", "memory");
  return result;
}

ORDER_UNSEEN static void order_reached_at(volatile int* step, int n) {
  // Never backwards: the other side may have gone on already.
  for (int now = *step; now < n;) {
    __asm__ volatile("lock cmpxchgl %2, %1" : "+a"(now), "+m"(*step) : "r"(n) : "memory", "cc");
    if (*step >= n) break;
  }
  order_futex(step, 1, 0x7fffffff, NULL);  // FUTEX_WAKE
}

#ifdef __cplusplus
extern "C" {
#endif
extern char** environ;
#ifdef __cplusplus
}
#endif

// Milliseconds; -1: without end.
ORDER_UNSEEN static long order_patience(void) {
  for (char** line = environ; line != NULL && *line != NULL; ++line) {
    const char* text = *line;
    const char* name = "ORDER_PATIENCE=";
    while (*name != 0 && *text == *name) ++text, ++name;
    if (*name != 0) continue;
    long value = 0;
    while (*text >= '0' && *text <= '9') value = value * 10 + (*text++ - '0');
    return value;
  }
  return -1;
}

ORDER_UNSEEN static void order_await_at(volatile int* step, int n) {
  const long patience = *step >= n ? -1 : order_patience();
  const long most[2] = {patience / 1000, patience % 1000 * 1000000};
  for (;;) {
    int now = *step;
    if (now >= n) break;
    const long result = order_futex(step, 0, now, patience < 0 ? NULL : most);  // FUTEX_WAIT
    if (result == -110) break;                                                  // ETIMEDOUT
  }
  __asm__ volatile("" : : : "memory");
}

ORDER_UNSEEN static void order_reached(int n) {
  order_reached_at(&order_step, n);
}
ORDER_UNSEEN static void order_await(int n) {
  order_await_at(&order_step, n);
}

// For threads that must not wait in here, because a signal is to reach them in a call of their own.
ORDER_UNSEEN static int order_is(int n) {
  return order_step >= n;
}

// Counts one more arrival, for steps that several threads make together.
ORDER_UNSEEN static void order_arrived(void) {
  __asm__ volatile("lock incl %0" : "+m"(order_step) : : "memory");
  order_futex(&order_step, 1, 0x7fffffff, NULL);
}

typedef void* (*order_body)(void*);

// Runs both at once and waits for both.
__attribute__((unused)) static void in_two_threads(order_body first, order_body second) {
  pthread_t a, b;
  pthread_create(&a, NULL, first, NULL);
  pthread_create(&b, NULL, second, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
}

#endif
