// A library that is closed and opened again by another thread has fresh data.
#include <dlfcn.h>

#include "order.h"

static void* library;
static int* table;

static void* first(void* unused) {
  for (int i = 0; i < 1024; i++) table[i] = i;
  dlclose(library);
  order_reached(1);
  return unused;
}

static void* second(void* unused) {
  order_await(1);
  void* again = dlopen(LIBRARY, RTLD_NOW);
  int* fresh = (int*)dlsym(again, "table");
  for (int i = 0; i < 1024; i++) fresh[i] = 2 * i;
  return unused;
}

int main(void) {
  library = dlopen(LIBRARY, RTLD_NOW);
  if (library == NULL) return 1;
  table = (int*)dlsym(library, "table");
  in_two_threads(first, second);
  return 0;
}
