// A semaphore of one is a lock.
#include <semaphore.h>

#include "order.h"

sem_t room;
int shared;

static void* first(void* unused) {
  sem_wait(&room);
  shared++;
  sem_post(&room);
  return unused;
}

static void* second(void* unused) {
  sem_wait(&room);
  shared++;
  sem_post(&room);
  return unused;
}

int main(void) {
  sem_init(&room, 0, 1);
  in_two_threads(first, second);
  return 0;
}
