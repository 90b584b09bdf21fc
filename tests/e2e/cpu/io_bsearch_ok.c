// Two threads sort and search an array each with one comparison function.
#include <stdlib.h>

#include "order.h"

int values[2][101];
int wanted = 50;

static int compare(const void* left, const void* right) {
  int a = *(const int*)left;
  int b = *(const int*)right;
  return a < b ? -1 : a > b;
}

static void* first(void* unused) {
  qsort(values[0], 101, sizeof(int), compare);
  USE(bsearch(&wanted, values[0], 101, sizeof(int), compare));
  order_reached(1);
  return unused;
}

static void* second(void* unused) {
  qsort(values[1], 101, sizeof(int), compare);
  USE(bsearch(&wanted, values[1], 101, sizeof(int), compare));
  return unused;
}

int main(void) {
  for (int i = 0; i < 101; i++) values[0][i] = values[1][i] = (i * 37) % 101;
  in_two_threads(first, second);
  return 0;
}
