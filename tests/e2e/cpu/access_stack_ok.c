// A thread writes its creator's local variable, which the creator reads after joining.
#include "order.h"

static void* child(void* argument) {
  *(int*)argument = 1;
  order_reached(1);
  return NULL;
}

int main(void) {
  int local = 0;
  pthread_t thread;
  pthread_create(&thread, NULL, child, &local);
  order_await(1);
  pthread_join(thread, NULL);
  local++;
  return local > 0 ? 0 : 1;
}
