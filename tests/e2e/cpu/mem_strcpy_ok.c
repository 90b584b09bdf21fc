// strcpy writes a name, and its terminator, before what another thread reads.
#include <string.h>

#include "order.h"

char name[16];
const char* volatile text = "abcdef";

static void* writer(void* unused) {
  strcpy(name, text);
  order_reached(1);
  return unused;
}

static void* reader(void* unused) {
  order_await(1);
  USE(name[7]);
  return unused;
}

int main(void) {
  in_two_threads(writer, reader);
  return 0;
}
