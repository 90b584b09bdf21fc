// A timer that expires again and again: its function runs in many threads, some at the same time.
#include <signal.h>
#include <time.h>

#include "order.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ticks;
static _Thread_local int mine;

static void expired(union sigval value) {
  mine += value.sival_int;
  pthread_mutex_lock(&lock);
  ticks += mine == 3;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&lock);
  if (mine < 0) pthread_exit(NULL);
}

int main(void) {
  struct sigevent event = {0};
  event.sigev_notify = SIGEV_THREAD;
  event.sigev_notify_function = expired;
  event.sigev_value.sival_int = 3;
  timer_t timers[3];
  const struct itimerspec often = {{0, 500000}, {0, 500000}};
  for (int i = 0; i < 3; i++) {
    if (timer_create(CLOCK_MONOTONIC, &event, &timers[i])) return 1;
    timer_settime(timers[i], 0, &often, NULL);
  }
  pthread_mutex_lock(&lock);
  while (ticks < 100) pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
  for (int i = 0; i < 3; i++) timer_delete(timers[i]);
  return 0;
}
