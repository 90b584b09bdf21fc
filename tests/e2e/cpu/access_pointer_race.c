// Two threads write and read a variable of a pointer with nothing between them.
#include "order.h"

void* place;

static void* writer(void* unused) {
  place = &place;  // RACE
  order_reached(1);
  return unused;
}

static void* reader(void* unused) {
  order_await(1);
  void* copy = place;  // RACE
  USE_OBJECT(copy);
  return unused;
}

int main(void) {
  in_two_threads(writer, reader);
  return 0;
}
