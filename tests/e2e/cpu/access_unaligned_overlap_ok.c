// An unaligned eight-byte write ends just where another thread's read begins.
#include <string.h>

#include "order.h"

_Alignas(16) unsigned char bytes[24];

static void* writer(void* unused) {
  unsigned char* place = bytes + 1;
  long value = 7;
  memcpy(place, &value, 7);
  order_reached(1);
  return unused;
}

static void* reader(void* unused) {
  order_await(1);
  long value = *(long*)(bytes + 8);
  USE(value);
  return unused;
}

int main(void) {
  in_two_threads(writer, reader);
  return 0;
}
