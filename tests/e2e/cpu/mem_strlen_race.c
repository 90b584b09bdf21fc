// strlen reads up to the terminator that another thread moved.
#include <string.h>

#include "order.h"

char name[16] = "abcdef";
char* volatile start = name;

static void* writer(void* unused) {
  name[5] = 0;  // RACE
  order_reached(1);
  return unused;
}

static void* reader(void* unused) {
  order_await(1);
  size_t length = strlen(start);  // RACE
  USE(length);
  return unused;
}

int main(void) {
  in_two_threads(writer, reader);
  return 0;
}
