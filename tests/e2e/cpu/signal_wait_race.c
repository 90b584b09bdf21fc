// A signal that is waited for by sigwait carries no order of later writes.
#include <signal.h>

#include "order.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int shared;

static void* waiter(void* signals) {
  int number = 0;
  sigwait(signals, &number);
  order_await(1);
  shared += number;  // RACE
  return NULL;
}

int main(void) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &signals, NULL);
  pthread_t thread;
  pthread_create(&thread, NULL, waiter, &signals);
  pthread_kill(thread, SIGUSR1);
  shared = 1;  // RACE
  order_reached(1);
  pthread_join(thread, NULL);
  return 0;
}
