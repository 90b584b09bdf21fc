// A message sent through a duplicate of a descriptor arrives at the original's other end.
#include <unistd.h>

#include "order.h"

int ends[2], copy, data;

static void* sender(void* unused) {
  data = 1;
  if (write(copy, "x", 1) != 1) return NULL;
  return unused;
}

static void* receiver(void* unused) {
  char byte;
  if (read(ends[0], &byte, 1) != 1) return NULL;
  USE(data);
  return unused;
}

int main(void) {
  if (pipe(ends) != 0) return 1;
  copy = dup(ends[1]);
  in_two_threads(sender, receiver);
  return 0;
}
