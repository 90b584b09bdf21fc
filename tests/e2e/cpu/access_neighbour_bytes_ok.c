// Eight threads each write their own byte of one word.
#include "order.h"

_Alignas(8) char bytes[8];

static void* owner(void* argument) {
  long mine = (long)argument;
  bytes[mine] = 1;
  return NULL;
}

int main(void) {
  pthread_t threads[8];
  for (long i = 0; i < 8; i++) pthread_create(&threads[i], NULL, owner, (void*)i);
  for (int i = 0; i < 8; i++) pthread_join(threads[i], NULL);
  return 0;
}
