// Neighbouring bit-fields are one memory location: writing both from two threads is a race.
#include "order.h"

struct Flags {
  unsigned low : 4;
  unsigned high : 4;
};
struct Flags flags;

static void* set_low(void* unused) {
  flags.low = 3;  // RACE
  order_reached(1);
  return unused;
}

static void* set_high(void* unused) {
  order_await(1);
  flags.high = 5;  // RACE
  return unused;
}

int main(void) {
  in_two_threads(set_low, set_high);
  return flags.low == 3 && flags.high == 5 ? 0 : 1;
}
