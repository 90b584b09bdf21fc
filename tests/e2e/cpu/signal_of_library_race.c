// The handler of a library runs between two accesses, and orders nothing.
// LINK: library
// LIBRARY: plain
#include <signal.h>

#include "order.h"

void library_begin(void);
int library_asked(void);

int shared;

static void* writer(void* unused) {
  shared = 1;  // RACE
  order_reached(1);
  return unused;
}

int main(void) {
  library_begin();
  pthread_t thread;
  pthread_create(&thread, NULL, writer, NULL);
  order_await(1);
  raise(SIGTERM);
  shared = 2;  // RACE
  pthread_join(thread, NULL);
  return library_asked() ? 0 : 1;
}
