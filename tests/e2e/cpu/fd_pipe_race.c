// Data is written after the byte was sent through the pipe.
#include <unistd.h>

#include "order.h"

int ends[2], data;

static void* sender(void* unused) {
  if (write(ends[1], "x", 1) != 1) return NULL;
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
  in_two_threads(sender, receiver);
  return 0;
}
