// snprintf writes into a buffer that another thread reads.
#include <stdio.h>

#include "order.h"

char line[32];
int number = 123456;
size_t room = 4;

static void* printer(void* unused) {
  snprintf(line, sizeof line, "%d", number);  // RACE
  order_reached(1);
  return unused;
}

static void* reader(void* unused) {
  order_await(1);
  USE(line[5]);  // RACE
  return unused;
}

int main(void) {
  in_two_threads(printer, reader);
  return 0;
}
