// Lazy initialisation by hand: check, then make, without order.
#include "order.h"

int made, table[8];
pthread_once_t once = PTHREAD_ONCE_INIT;

static void make(void) {
  for (int i = 0; i < 8; i++) table[i] = i;
  made = 1;  // RACE
}

static void* user(void* unused) {
  if (!made) make();
  order_reached(1);
  return unused;
}

static void* late_user(void* unused) {
  order_await(1);
  if (!made) return NULL;  // RACE
  return unused;
}

int main(void) {
  in_two_threads(user, late_user);
  return 0;
}
