// A named semaphore orders only what came before the post.
#include <fcntl.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

#include "order.h"

sem_t* ready;
int data;

static void* producer(void* unused) {
  sem_post(ready);
  data = 1;  // RACE
  order_reached(1);
  return unused;
}

static void* consumer(void* unused) {
  sem_wait(ready);
  order_await(1);
  USE(data);  // RACE
  return unused;
}

int main(void) {
  char name[40];
  snprintf(name, sizeof name, "/redflag-test-%d", (int)getpid());
  ready = sem_open(name, O_CREAT | O_EXCL, 0600, 0);
  if (ready == SEM_FAILED) return 3;
  sem_unlink(name);
  in_two_threads(producer, consumer);
  sem_close(ready);
  return 0;
}
