// An unaligned sixteen-byte copy ends one byte before what another thread writes.
#include "order.h"

struct __attribute__((packed)) Wide {
  char before[3];
  __int128 value;
  char after;
};
_Alignas(16) struct Wide wide;

static void* writer(void* unused) {
  wide.value = 1;
  order_reached(1);
  return unused;
}

static void* other(void* unused) {
  order_await(1);
  wide.after = 1;
  wide.before[2] = 1;
  return unused;
}

int main(void) {
  in_two_threads(writer, other);
  return 0;
}
