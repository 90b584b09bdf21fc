// A timer's function reads what is changed after the timer was set.
#include <semaphore.h>
#include <signal.h>
#include <time.h>

#include "order.h"

static sem_t done;
static int prepared;

static void expired(union sigval value) {
  order_await(1);
  USE(prepared);  // RACE
  sem_post((sem_t*)value.sival_ptr);
}

int main(void) {
  sem_init(&done, 0, 0);
  struct sigevent event = {0};
  event.sigev_notify = SIGEV_THREAD;
  event.sigev_notify_function = expired;
  event.sigev_value.sival_ptr = &done;
  timer_t timer;
  if (timer_create(CLOCK_MONOTONIC, &event, &timer)) return 1;
  const struct itimerspec soon = {{0, 0}, {0, 1000}};
  timer_settime(timer, 0, &soon, NULL);
  prepared = 1;  // RACE
  order_reached(1);
  while (sem_wait(&done)) {
  }
  return 0;
}
