// A library that counts calls under its own lock.
#include <pthread.h>

int counter;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int bump(void) {
  pthread_mutex_lock(&lock);
  int now = ++counter;  // RACE
  pthread_mutex_unlock(&lock);
  return now;
}
