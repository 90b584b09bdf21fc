// A thread-local variable is reached from another thread through its address.
#include <semaphore.h>

#include "order.h"

_Thread_local int mine;
int* theirs;
sem_t known;

static void* owner(void* unused) {
  theirs = &mine;
  sem_post(&known);
  order_await(1);
  mine = 1;  // RACE
  return unused;
}

static void* visitor(void* unused) {
  sem_wait(&known);
  *theirs = 2;  // RACE
  order_reached(1);
  return unused;
}

int main(void) {
  sem_init(&known, 0, 0);
  in_two_threads(owner, visitor);
  return 0;
}
