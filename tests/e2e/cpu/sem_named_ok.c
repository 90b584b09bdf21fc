// A named semaphore hands data over.
#include <fcntl.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

#include "order.h"

sem_t* ready;
int data;

static void* producer(void* unused) {
  data = 1;
  sem_post(ready);
  return unused;
}

static void* consumer(void* unused) {
  sem_wait(ready);
  USE(data);
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
