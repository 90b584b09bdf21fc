// Puts the steps of a program's threads in a chosen order without ordering them in the eyes of a
// detector.
//
// A race that happens only sometimes makes a poor test. Here the first access is made,
// order_reached(1) says so, and the thread of the second access waits in order_await(1): every run
// has the two accesses, in that order. A detector must not take this for synchronisation, so
// nothing here is instrumented or intercepted: volatile accesses in functions that opt out, and
// system calls made directly. On x86-64 stores become visible in order, so that is enough; other
// machines would need a fence here.
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

ORDER_UNSEEN static long order_futex(volatile int* word, int operation, int value) {
  long result;
  register long timeout __asm__("r10") = 0;
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
  order_futex(step, 1, 0x7fffffff);  // FUTEX_WAKE
}

ORDER_UNSEEN static void order_await_at(volatile int* step, int n) {
  for (;;) {
    int now = *step;
    if (now >= n) break;
    order_futex(step, 0, now);  // FUTEX_WAIT
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
  order_futex(&order_step, 1, 0x7fffffff);
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
