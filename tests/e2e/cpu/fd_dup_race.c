// A duplicated descriptor orders only what came before the message.
#include <unistd.h>

#include "order.h"

int ends[2], copy, data;

static void* sender(void* unused) {
  if (write(copy, "x", 1) != 1) return NULL;
  data = 1;  // RACE
  order_reached(1);
  return unused;
}

static void* receiver(void* unused) {
  char byte;
  if (read(ends[0], &byte, 1) != 1) return NULL;
  order_await(1);
  USE(data);  // RACE
  return unused;
}

int main(void) {
  if (pipe(ends) != 0) return 1;
  copy = dup(ends[1]);
  in_two_threads(sender, receiver);
  return 0;
}
