// Threads that get the TLS block of one that ended carry no history.
#include "order.h"

_Thread_local char buffer[1024];
int sum;

static void* body(void* unused) {
  for (int i = 0; i < 1024; i++) buffer[i] = (char)i;
  sum += buffer[100];
  return unused;
}

int main(void) {
  pthread_t thread;
  for (int round = 0; round < 100; round++) {
    pthread_create(&thread, NULL, body, NULL);
    pthread_join(thread, NULL);
  }
  return 0;
}
