// The result of a C11 thread is read before it is joined.
#include <threads.h>

#include "order.h"

int result;

static int body(void* unused) {
  result = 1;  // RACE
  order_reached(1);
  return unused == NULL ? 7 : 8;
}

int main(void) {
  thrd_t thread;
  int status = 0;
  thrd_create(&thread, body, NULL);
  order_await(1);
  result++;  // RACE
  thrd_join(thread, &status);
  return status == 7 ? 0 : 1;
}
