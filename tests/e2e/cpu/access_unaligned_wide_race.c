// An unaligned sixteen-byte copy ends in a byte that another thread writes.
#include "order.h"

struct __attribute__((packed)) Wide {
  char before[3];
  __int128 value;
  char after;
};
_Alignas(16) struct Wide wide;

static void* writer(void* unused) {
  wide.value = 1;  // RACE
  order_reached(1);
  return unused;
}

static void* other(void* unused) {
  order_await(1);
  ((char*)&wide)[3 + 15] = 1;  // RACE
  return unused;
}

int main(void) {
  in_two_threads(writer, other);
  return 0;
}
