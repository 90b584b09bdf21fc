// A library opened at run time counts calls under its own lock.
#include <dlfcn.h>

#include "order.h"

int (*bump)(void);
int* counter;

static void* caller(void* unused) {
  bump();
  order_reached(1);
  return unused;
}

static void* other(void* unused) {
  order_await(1);
  bump();
  return unused;
}

int main(void) {
  void* library = dlopen(LIBRARY, RTLD_NOW);
  if (library == NULL) return 1;
  bump = (int (*)(void))dlsym(library, "bump");
  counter = (int*)dlsym(library, "counter");
  in_two_threads(caller, other);
  return 0;
}
