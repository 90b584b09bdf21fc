// A signal handler in one thread reads what another thread writes.
#include <signal.h>
#include <stdatomic.h>

#include "order.h"

int shared;
atomic_int handled;

static void on_signal(int number) {
  if (shared == 5) handled = number;  // RACE
}

static void* writer(void* unused) {
  shared = 1;  // RACE
  order_reached(1);
  return unused;
}

int main(void) {
  struct sigaction action = {0};
  action.sa_handler = on_signal;
  sigaction(SIGUSR1, &action, NULL);
  pthread_t thread;
  pthread_create(&thread, NULL, writer, NULL);
  order_await(1);
  raise(SIGUSR1);
  pthread_join(thread, NULL);
  return 0;
}
