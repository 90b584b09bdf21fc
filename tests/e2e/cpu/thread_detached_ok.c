// A detached thread says through a semaphore that it is done.
#include <semaphore.h>

#include "order.h"

sem_t done;
int result;

static void* body(void* unused) {
  result = 1;
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
  sem_wait(&done);
  USE(result);
  pthread_create(&thread, NULL, body, NULL);
  pthread_detach(thread);
  sem_wait(&done);
  USE(result);
  return 0;
}
