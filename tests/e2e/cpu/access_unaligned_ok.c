// Two threads write members that lie side by side, unaligned, and share no byte.
#include "order.h"

struct __attribute__((packed)) Record {
  char tag[6];
  int straddling;
  int after;
};
_Alignas(8) struct Record record;

static void* first(void* unused) {
  record.straddling = 1;
  order_reached(1);
  return unused;
}

static void* second(void* unused) {
  order_await(1);
  record.after = 2;
  record.tag[5] = 2;
  return unused;
}

int main(void) {
  in_two_threads(first, second);
  return 0;
}
