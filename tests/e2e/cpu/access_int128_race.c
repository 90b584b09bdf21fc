// Two threads write and read a variable of sixteen bytes with nothing between them.
#include "order.h"

__int128 place;

static void* writer(void* unused) {
  place = 1;  // RACE
  order_reached(1);
  return unused;
}

static void* reader(void* unused) {
  order_await(1);
  __int128 copy = place;  // RACE
  USE_OBJECT(copy);
  return unused;
}

int main(void) {
  in_two_threads(writer, reader);
  return 0;
}
