// The last of many threads to use a TLS block lends it to the main thread and writes it too.
#include <semaphore.h>

#include "order.h"

_Thread_local char buffer[1024];
int sum;
char* lent;
sem_t known;

static void* body(void* unused) {
  for (int i = 0; i < 1024; i++) buffer[i] = (char)i;
  sum += buffer[100];
  return unused;
}

static void* lender(void* unused) {
  body(NULL);
  lent = buffer;
  sem_post(&known);
  order_await(1);
  buffer[100] = 1;  // RACE
  return unused;
}

int main(void) {
  pthread_t thread;
  for (int round = 0; round < 100; round++) {
    pthread_create(&thread, NULL, body, NULL);
    pthread_join(thread, NULL);
  }
  sem_init(&known, 0, 0);
  pthread_create(&thread, NULL, lender, NULL);
  sem_wait(&known);
  lent[100] = 2;  // RACE
  order_reached(1);
  pthread_join(thread, NULL);
  return 0;
}
