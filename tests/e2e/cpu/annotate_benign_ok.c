// A race on memory that AnnotateBenignRaceSized names is not reported.
#include "order.h"

void AnnotateBenignRaceSized(const char* file, int line, const volatile void* memory,
                             unsigned long size, const char* why);
int statistics[4];

static void* first(void* unused) {
  statistics[1]++;
  order_reached(1);
  return unused;
}

static void* second(void* unused) {
  order_await(1);
  statistics[1]++;
  return unused;
}

int main(void) {
  AnnotateBenignRaceSized(__FILE__, __LINE__, statistics, 2 * sizeof(int), "only for display");
  in_two_threads(first, second);
  return 0;
}
