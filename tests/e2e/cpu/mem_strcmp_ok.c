// strcmp stops at the first difference: later bytes may change.
#include <string.h>

#include "order.h"

char name[16] = "abcdef";
char* volatile given = name;
const char* volatile wanted = "abXdef";

static void* comparer(void* unused) {
  int order = strcmp(given, wanted);
  USE(order);
  order_reached(1);
  return unused;
}

static void* writer(void* unused) {
  order_await(1);
  name[5] = 'z';
  return unused;
}

int main(void) {
  in_two_threads(comparer, writer);
  return 0;
}
