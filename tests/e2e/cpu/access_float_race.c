// Two threads write and read a variable of a float with nothing between them.
#include "order.h"

float place;

static void* writer(void* unused) {
  place = 1.5f;  // RACE
  order_reached(1);
  return unused;
}

static void* reader(void* unused) {
  order_await(1);
  float copy = place;  // RACE
  USE_OBJECT(copy);
  return unused;
}

int main(void) {
  in_two_threads(writer, reader);
  return 0;
}
