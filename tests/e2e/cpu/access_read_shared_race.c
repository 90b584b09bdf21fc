// Many threads read a value while the last of them also writes it.
#include "order.h"

enum { kReaders = 24 };
int value = 1;

static void* reader(void* unused) {
  for (int i = 0; i < 100; i++) USE(value);  // RACE
  order_arrived();
  return unused;
}

static void* writer(void* unused) {
  order_await(kReaders);
  value = 2;  // RACE
  return unused;
}

int main(void) {
  pthread_t threads[kReaders + 1];
  for (int i = 0; i < kReaders; i++) pthread_create(&threads[i], NULL, reader, NULL);
  pthread_create(&threads[kReaders], NULL, writer, NULL);
  for (int i = 0; i <= kReaders; i++) pthread_join(threads[i], NULL);
  return 0;
}
