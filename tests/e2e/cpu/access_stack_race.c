// A thread writes its creator's local variable while the creator writes it too.
#include "order.h"

static void* child(void* argument) {
  *(int*)argument = 1;  // RACE
  order_reached(1);
  return NULL;
}

int main(void) {
  int local = 0;
  pthread_t thread;
  pthread_create(&thread, NULL, child, &local);
  order_await(1);
  local = 2;  // RACE
  pthread_join(thread, NULL);
  return local > 0 ? 0 : 1;
}
