// Peterson's mutual exclusion for two threads.
#include <stdatomic.h>

#include "two.h"

atomic_int wants[2], turn;
long counter;

static void body(int number) {
  for (int i = 0; i < 20; i++) {
    atomic_store(&wants[number], 1);
    atomic_store(&turn, 1 - number);
    while (atomic_load(&wants[1 - number]) && atomic_load(&turn) == 1 - number) sched_yield();
    counter++;
    atomic_store(&wants[number], 0);
  }
}

int main(void) {
  in_threads(2, body);
  return counter == 40 ? 0 : 1;
}
