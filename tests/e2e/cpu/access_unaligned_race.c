// Two threads write a four-byte member that straddles two eight-byte granules.
#include "order.h"

struct __attribute__((packed)) Record {
  char tag[6];
  int straddling;
  int after;
};
_Alignas(8) struct Record record;

static void* first(void* unused) {
  record.straddling = 1;  // RACE
  order_reached(1);
  return unused;
}

static void* second(void* unused) {
  order_await(1);
  record.straddling = 2;  // RACE
  return unused;
}

int main(void) {
  in_two_threads(first, second);
  return 0;
}
