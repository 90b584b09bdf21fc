// A mutex that was destroyed and made anew protects as before.
#include "order.h"

pthread_mutex_t lock;
int shared;

static void* user(void* unused) {
  pthread_mutex_lock(&lock);
  shared++;
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  for (int round = 0; round < 20; round++) {
    pthread_mutex_init(&lock, NULL);
    in_two_threads(user, user);
    pthread_mutex_destroy(&lock);
  }
  return shared == 40 ? 0 : 1;
}
