// snprintf writes only as much as it was allowed.
#include <stdio.h>

#include "order.h"

char line[32];
int number = 123456;
size_t room = 4;

static void* printer(void* unused) {
  snprintf(line, room, "%d", number);
  order_reached(1);
  return unused;
}

static void* reader(void* unused) {
  order_await(1);
  USE(line[5]);
  return unused;
}

int main(void) {
  in_two_threads(printer, reader);
  return 0;
}
