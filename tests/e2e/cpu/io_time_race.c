// localtime_r fills a structure that another thread reads.
#include <time.h>

#include "order.h"

struct tm shared;
time_t now = 1000000;

static void* first(void* unused) {
  localtime_r(&now, &shared);  // RACE
  order_reached(1);
  return unused;
}

static void* second(void* unused) {
  order_await(1);
  USE(shared.tm_year);  // RACE
  return unused;
}

int main(void) {
  in_two_threads(first, second);
  return 0;
}
