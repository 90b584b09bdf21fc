// localtime_r fills a structure of its thread's own.
#include <time.h>

#include "order.h"

struct tm shared;
time_t now = 1000000;

static void* first(void* unused) {
  struct tm mine;
  localtime_r(&now, &mine);
  USE(mine.tm_year);
  order_reached(1);
  return unused;
}

static void* second(void* unused) {
  order_await(1);
  USE(shared.tm_year);
  return unused;
}

int main(void) {
  in_two_threads(first, second);
  return 0;
}
