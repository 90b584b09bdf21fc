// sscanf stores a number into a variable that another thread reads.
#include <stdio.h>

#include "order.h"

int number;
const char* text = "17";

static void* scanner(void* unused) {
  sscanf(text, "%d", &number);  // RACE
  order_reached(1);
  return unused;
}

static void* reader(void* unused) {
  order_await(1);
  USE(number);  // RACE
  return unused;
}

int main(void) {
  in_two_threads(scanner, reader);
  return 0;
}
