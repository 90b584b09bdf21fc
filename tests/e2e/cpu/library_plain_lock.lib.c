// A library that is not checked and locks for its callers.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void enter(void) {
  pthread_mutex_lock(&lock);
}
void leave(void) {
  pthread_mutex_unlock(&lock);
}
