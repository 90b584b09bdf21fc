// strdup copies a string that another thread changes.
#include <stdlib.h>
#include <string.h>

#include "order.h"

char shared[16] = "abcdef";
char* volatile start = shared;

static void* first(void* unused) {
  char* copy = strdup(start);  // RACE
  copy[0] = 'x';
  USE_OBJECT(*copy);
  order_reached(1);
  free(copy);
  return unused;
}

static void* second(void* unused) {
  order_await(1);
  shared[2] = 'y';  // RACE
  return unused;
}

int main(void) {
  in_two_threads(first, second);
  return 0;
}
