// A signal thread waits in sigwait; data is handed over by a mutex.
#include <signal.h>

#include "order.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int shared;

static void* waiter(void* signals) {
  int number = 0;
  sigwait(signals, &number);
  pthread_mutex_lock(&lock);
  shared += number;
  pthread_mutex_unlock(&lock);
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
  pthread_mutex_lock(&lock);
  shared = 1;
  pthread_mutex_unlock(&lock);
  pthread_join(thread, NULL);
  return 0;
}
