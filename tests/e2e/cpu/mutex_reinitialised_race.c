// A mutex that was destroyed and made anew is forgotten by one of its users.
#include "order.h"

pthread_mutex_t lock;
int shared;

static void* user(void* unused) {
  pthread_mutex_lock(&lock);
  shared++;  // RACE
  pthread_mutex_unlock(&lock);
  order_reached(1);
  return unused;
}

static void* forgetful(void* unused) {
  order_await(1);
  shared = 5;  // RACE
  return unused;
}

int main(void) {
  for (int round = 0; round < 20; round++) {
    pthread_mutex_init(&lock, NULL);
    in_two_threads(user, user);
    pthread_mutex_destroy(&lock);
  }
  pthread_mutex_init(&lock, NULL);
  order_step = 0;
  in_two_threads(user, forgetful);
  return 0;
}
