// An event made of a futex and an atomic: the waiter sleeps in the kernel, then takes over what the other one made.
#include <linux/futex.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "two.h"

atomic_int events[2];
long product = 1;

static void await_event(atomic_int* event, int n) {
  for (;;) {
    int now = atomic_load_explicit(event, memory_order_acquire);
    if (now >= n) return;
    syscall(SYS_futex, event, FUTEX_WAIT, now, NULL, NULL, 0);
  }
}

static void raise_event(atomic_int* event, int n) {
  atomic_store_explicit(event, n, memory_order_release);
  syscall(SYS_futex, event, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void body(int number) {
  for (int i = 1; i <= 10; i++) {
    if (number == 1) await_event(&events[0], i);
    product = product * (number == 0 ? 3 : 5) % 1000003;
    raise_event(&events[number], i);
    if (number == 0) await_event(&events[1], i);
  }
}

int main(void) {
  in_threads(2, body);
  return 0;
}
