// Two threads use one union through different members.
#include "order.h"

union Value {
  double number;
  char text[8];
};
union Value values[2];

static void* as_number(void* unused) {
  values[0].number = 1.5;  // RACE
  order_reached(1);
  return unused;
}

static void* as_text(void* unused) {
  order_await(1);
  values[0].text[5] = 'x';  // RACE
  return unused;
}

int main(void) {
  in_two_threads(as_number, as_text);
  return 0;
}
