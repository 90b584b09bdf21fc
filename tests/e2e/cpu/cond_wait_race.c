// The consumer reads the item after it gave the mutex up, while the producer makes the next one.
#include "order.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int full, item;

static void* producer(void* unused) {
  for (int i = 0; i < 2; i++) {
    pthread_mutex_lock(&lock);
    while (full) pthread_cond_wait(&changed, &lock);
    item = i;  // RACE
    full = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
  }
  order_reached(1);
  return unused;
}

static void* consumer(void* unused) {
  for (int i = 0; i < 2; i++) {
    pthread_mutex_lock(&lock);
    while (!full) pthread_cond_wait(&changed, &lock);
    full = 0;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    if (i == 0) order_await(1);
    if (i == 0) USE(item);  // RACE
  }
  return unused;
}

int main(void) {
  in_two_threads(producer, consumer);
  return 0;
}
