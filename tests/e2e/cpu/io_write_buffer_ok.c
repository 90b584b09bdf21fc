// write() reads a buffer that nobody changes until it returned.
#include <unistd.h>

#include "order.h"

char buffer[64] = "some text";
int ends[2];
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void* writer(void* unused) {
  pthread_mutex_lock(&lock);
  if (write(ends[1], buffer, 9) != 9) return NULL;
  pthread_mutex_unlock(&lock);
  order_reached(1);
  return unused;
}

static void* changer(void* unused) {
  order_await(1);
  pthread_mutex_lock(&lock);
  buffer[4] = '_';
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  if (pipe(ends) != 0) return 1;
  in_two_threads(writer, changer);
  return 0;
}
