// write() reads a buffer that another thread changes.
#include <unistd.h>

#include "order.h"

char buffer[64] = "some text";
int ends[2];

static void* writer(void* unused) {
  if (write(ends[1], buffer, 9) != 9) return NULL;  // RACE
  order_reached(1);
  return unused;
}

static void* changer(void* unused) {
  order_await(1);
  buffer[4] = '_';  // RACE
  return unused;
}

int main(void) {
  if (pipe(ends) != 0) return 1;
  in_two_threads(writer, changer);
  return 0;
}
