// Eight threads each own one byte of a word, but one of them also writes its neighbour's.
#include "order.h"

_Alignas(8) char bytes[8];

static void* owner(void* argument) {
  long mine = (long)argument;
  bytes[mine] = 1;  // RACE
  if (mine == 2) order_reached(1);
  if (mine == 3) {
    order_await(1);
    bytes[mine - 1] = 1;  // RACE
  }
  return NULL;
}

int main(void) {
  pthread_t threads[8];
  for (long i = 0; i < 8; i++) pthread_create(&threads[i], NULL, owner, (void*)i);
  for (int i = 0; i < 8; i++) pthread_join(threads[i], NULL);
  return 0;
}
