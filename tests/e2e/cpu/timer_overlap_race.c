// Two callbacks of a timer's expirations are not ordered with each other.
#include <semaphore.h>
#include <signal.h>
#include <time.h>

#include "order.h"

static sem_t done;
static int ticks;

static void expired(union sigval value) {
  ticks++;  // RACE RACE
  order_arrived();
  order_await(2);
  sem_post((sem_t*)value.sival_ptr);
}

int main(void) {
  sem_init(&done, 0, 0);
  struct sigevent event = {0};
  event.sigev_notify = SIGEV_THREAD;
  event.sigev_notify_function = expired;
  event.sigev_value.sival_ptr = &done;
  const struct itimerspec soon = {{0, 0}, {0, 1000}};
  for (int i = 0; i < 2; i++) {
    timer_t timer;
    if (timer_create(CLOCK_MONOTONIC, &event, &timer)) return 1;
    timer_settime(timer, 0, &soon, NULL);
  }
  for (int i = 0; i < 2; i++) {
    while (sem_wait(&done)) {
    }
  }
  return 0;
}
