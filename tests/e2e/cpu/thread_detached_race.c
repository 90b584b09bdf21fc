// A detached thread still writes what the main thread reads.
#include <semaphore.h>

#include "order.h"

sem_t done;
int result;

static void* body(void* unused) {
  result = 1;  // RACE
  order_reached(1);
  sem_post(&done);
  return unused;
}

int main(void) {
  sem_init(&done, 0, 0);
  pthread_attr_t detached;
  pthread_attr_init(&detached);
  pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
  pthread_t thread;
  pthread_create(&thread, &detached, body, NULL);
  order_await(1);
  USE(result);  // RACE
  sem_wait(&done);
  return 0;
}
