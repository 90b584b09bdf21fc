// Many threads read a value that is written before they start and after they ended.
#include "order.h"

enum { kReaders = 24 };
int value = 1;

static void* reader(void* unused) {
  for (int i = 0; i < 100; i++) USE(value);
  order_arrived();
  return unused;
}

int main(void) {
  pthread_t threads[kReaders + 1];
  value = 2;
  for (int i = 0; i < kReaders; i++) pthread_create(&threads[i], NULL, reader, NULL);
  for (int i = 0; i < kReaders; i++) pthread_join(threads[i], NULL);
  value = 3;
  return 0;
}
