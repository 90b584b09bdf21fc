// A library is opened and its data raced on.
#include <dlfcn.h>

#include "order.h"

static void* library;
static int* table;

static void* first(void* unused) {
  table[3] = 1;  // RACE
  order_reached(1);
  return unused;
}

static void* second(void* unused) {
  order_await(1);
  table[3] = 2;  // RACE
  return unused;
}

int main(void) {
  library = dlopen(LIBRARY, RTLD_NOW);
  if (library == NULL) return 1;
  table = (int*)dlsym(library, "table");
  in_two_threads(first, second);
  return 0;
}
