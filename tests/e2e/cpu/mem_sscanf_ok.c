// sscanf stores a number that is read under the same mutex.
#include <stdio.h>

#include "order.h"

int number;
const char* text = "17";
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void* scanner(void* unused) {
  pthread_mutex_lock(&lock);
  sscanf(text, "%d", &number);
  pthread_mutex_unlock(&lock);
  order_reached(1);
  return unused;
}

static void* reader(void* unused) {
  order_await(1);
  pthread_mutex_lock(&lock);
  USE(number);
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  in_two_threads(scanner, reader);
  return 0;
}
