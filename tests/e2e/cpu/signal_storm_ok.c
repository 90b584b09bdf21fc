// Signals arrive all the time while two threads work under a mutex.
#include <signal.h>
#include <stdatomic.h>
#include <sys/time.h>

#include "order.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
atomic_int ticks;
int counter;

static void on_tick(int number) {
  atomic_fetch_add(&ticks, 1);
  USE(number);
}

static void* body(void* unused) {
  while (atomic_load(&ticks) < 50) {
    pthread_mutex_lock(&lock);
    counter++;
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

int main(void) {
  struct sigaction action = {0};
  action.sa_handler = on_tick;
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, NULL);
  struct itimerval every = {{0, 2000}, {0, 2000}};
  setitimer(ITIMER_REAL, &every, NULL);
  in_two_threads(body, body);
  return 0;
}
