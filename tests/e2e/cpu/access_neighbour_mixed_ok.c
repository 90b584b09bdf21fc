// Accesses of different sizes to one word that share no byte.
#include "order.h"

union Word {
  unsigned char bytes[8];
  unsigned short halves[4];
  unsigned ints[2];
};
union Word word;

static void* writer(void* unused) {
  word.halves[1] = 1;
  order_reached(1);
  return unused;
}

static void* reader(void* unused) {
  order_await(1);
  word.bytes[0] = 1;
  unsigned value = word.ints[1];
  USE(value);
  return unused;
}

int main(void) {
  in_two_threads(writer, reader);
  return 0;
}
