// One thread fills in a message and raises a flag; the other waits for the flag and changes the message.
#include <stdatomic.h>

#include "two.h"

int message;
atomic_int flag;

static void body(int number) {
  if (number == 0) {
    message = 41;
    atomic_store_explicit(&flag, 1, memory_order_release);
  } else {
    while (!atomic_load_explicit(&flag, memory_order_acquire)) sched_yield();
    message++;
  }
}

int main(void) {
  in_threads(2, body);
  return 0;
}
