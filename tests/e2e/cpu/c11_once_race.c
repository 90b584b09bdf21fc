// What a C11 call_once function made is changed afterwards by one of its users.
#include <stdlib.h>
#include <threads.h>

#include "order.h"

once_flag flag = ONCE_FLAG_INIT;
tss_t slot;
int made;

static void make(void) {
  made = 1;
}

static int first(void* unused) {
  call_once(&flag, make);
  tss_set(slot, malloc(8));
  made = 2;  // RACE
  order_reached(1);
  return unused != NULL;
}

static int second(void* unused) {
  order_await(1);
  call_once(&flag, make);
  tss_set(slot, malloc(8));
  USE(made);  // RACE
  return unused != NULL;
}

int main(void) {
  thrd_t a, b;
  tss_create(&slot, free);
  thrd_create(&a, first, NULL);
  thrd_create(&b, second, NULL);
  thrd_join(a, NULL);
  thrd_join(b, NULL);
  return 0;
}
