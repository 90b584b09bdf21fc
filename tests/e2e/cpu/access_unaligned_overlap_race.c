// An unaligned eight-byte write and an aligned eight-byte read share only two bytes.
#include <string.h>

#include "order.h"

_Alignas(16) unsigned char bytes[24];

static void* writer(void* unused) {
  unsigned char* place = bytes + 2;
  long value = 7;
  memcpy(place, &value, 8);  // RACE
  order_reached(1);
  return unused;
}

static void* reader(void* unused) {
  order_await(1);
  long value = *(long*)(bytes + 8);  // RACE
  USE(value);
  return unused;
}

int main(void) {
  in_two_threads(writer, reader);
  return 0;
}
