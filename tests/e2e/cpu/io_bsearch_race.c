// bsearch calls the program's comparison, which reads what another thread writes.
#include <stdlib.h>

#include "order.h"

int values[2][101];
int wanted = 50;

static int compare(const void* left, const void* right) {
  int a = *(const int*)left;
  int b = *(const int*)right;  // RACE
  return a < b ? -1 : a > b;
}

static void* first(void* unused) {
  USE(bsearch(&wanted, values[0], 101, sizeof(int), compare));
  order_reached(1);
  return unused;
}

static void* second(void* unused) {
  order_await(1);
  values[0][50] = 3;  // RACE
  return unused;
}

int main(void) {
  for (int i = 0; i < 101; i++) values[0][i] = i;
  in_two_threads(first, second);
  return 0;
}
