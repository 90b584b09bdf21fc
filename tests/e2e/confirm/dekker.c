// Dekker's mutual exclusion for two threads.
#include <stdatomic.h>

#include "two.h"

atomic_int wants[2], turn;
long balance;

static void body(int number) {
  for (int i = 0; i < 20; i++) {
    atomic_store(&wants[number], 1);
    while (atomic_load(&wants[1 - number])) {
      if (atomic_load(&turn) == number) {
        sched_yield();
        continue;
      }
      atomic_store(&wants[number], 0);
      while (atomic_load(&turn) != number) sched_yield();
      atomic_store(&wants[number], 1);
    }
    balance += number == 0 ? 3 : -3;
    atomic_store(&turn, 1 - number);
    atomic_store(&wants[number], 0);
  }
}

int main(void) {
  in_threads(2, body);
  return balance == 0 ? 0 : 1;
}
