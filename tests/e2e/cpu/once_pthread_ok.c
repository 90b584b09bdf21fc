// pthread_once initialises for every thread that comes.
#include "order.h"

int made, table[8];
pthread_once_t once = PTHREAD_ONCE_INIT;

static void make(void) {
  for (int i = 0; i < 8; i++) table[i] = i;
  made = 1;
}

static void* user(void* unused) {
  pthread_once(&once, make);
  USE(table[3]);
  order_reached(1);
  return unused;
}

static void* late_user(void* unused) {
  return user(unused);
}

int main(void) {
  in_two_threads(user, late_user);
  return 0;
}
