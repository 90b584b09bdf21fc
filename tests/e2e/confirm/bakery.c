// Lamport's bakery for three threads.
#include <stdatomic.h>

#include "two.h"

enum { kThreads = 3 };
atomic_int choosing[kThreads], number_of[kThreads];
long counter;

static void lock(int me) {
  atomic_store(&choosing[me], 1);
  int most = 0;
  for (int i = 0; i < kThreads; i++) {
    int one = atomic_load(&number_of[i]);
    if (one > most) most = one;
  }
  atomic_store(&number_of[me], most + 1);
  atomic_store(&choosing[me], 0);
  for (int i = 0; i < kThreads; i++) {
    while (atomic_load(&choosing[i])) sched_yield();
    for (;;) {
      int his = atomic_load(&number_of[i]);
      int mine = atomic_load(&number_of[me]);
      if (his == 0 || his > mine || (his == mine && i >= me)) break;
      sched_yield();
    }
  }
}

static void body(int me) {
  for (int i = 0; i < 10; i++) {
    lock(me);
    counter++;
    atomic_store(&number_of[me], 0);
  }
}

int main(void) {
  in_threads(kThreads, body);
  return counter == 30 ? 0 : 1;
}
