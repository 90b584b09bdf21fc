// strcpy writes a name that another thread is reading.
#include <string.h>

#include "order.h"

char name[16];
const char* volatile text = "abcdef";

static void* writer(void* unused) {
  strcpy(name, text);  // RACE
  order_reached(1);
  return unused;
}

static void* reader(void* unused) {
  order_await(1);
  USE(name[6]);  // RACE
  return unused;
}

int main(void) {
  in_two_threads(writer, reader);
  return 0;
}
