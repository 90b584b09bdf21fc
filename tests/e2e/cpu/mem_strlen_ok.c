// strlen reads only up to the terminator: what lies behind belongs to others.
#include <string.h>

#include "order.h"

char name[16] = "abcdef";
char* volatile start = name;

static void* writer(void* unused) {
  name[7] = 'x';
  order_reached(1);
  return unused;
}

static void* reader(void* unused) {
  order_await(1);
  size_t length = strlen(start);
  USE(length);
  return unused;
}

int main(void) {
  in_two_threads(writer, reader);
  return 0;
}
