// A timer calls a function in threads of its own: it knows what was done before the timer was set.
#include <semaphore.h>
#include <signal.h>
#include <time.h>

#include "order.h"

static sem_t done;
static int prepared, answer;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ticks;

static void expired(union sigval value) {
  int local = *(int*)value.sival_ptr;
  pthread_mutex_lock(&lock);
  ticks++;
  pthread_mutex_unlock(&lock);
  answer = local + 1;
  sem_post(&done);
}

int main(void) {
  sem_init(&done, 0, 0);
  struct sigevent event = {0};
  event.sigev_notify = SIGEV_THREAD;
  event.sigev_notify_function = expired;
  event.sigev_value.sival_ptr = &prepared;
  timer_t timer;
  if (timer_create(CLOCK_MONOTONIC, &event, &timer)) return 1;
  for (int i = 0; i < 20; i++) {
    prepared = i;
    const struct itimerspec soon = {{0, 0}, {0, 1000}};
    timer_settime(timer, 0, &soon, NULL);
    while (sem_wait(&done)) {
    }
    if (answer != i + 1) return 2;
  }
  timer_delete(timer);
  pthread_mutex_lock(&lock);
  const int all = ticks;
  pthread_mutex_unlock(&lock);
  return all == 20 ? 0 : 3;
}
