// What the creator wrote before pthread_create is seen by the new thread.
#include "order.h"

int input;

static void* body(void* unused) {
  USE(input);
  return unused;
}

int main(void) {
  pthread_t thread;
  input = 1;
  pthread_create(&thread, NULL, body, NULL);
  pthread_join(thread, NULL);
  return 0;
}
