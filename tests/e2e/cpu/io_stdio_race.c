// fwrite reads a buffer that another thread changes.
#include <stdio.h>

#include "order.h"

char text[32] = "some text";
FILE* stream;

static void* printer(void* unused) {
  fwrite(text, 1, 9, stream);  // RACE
  order_reached(1);
  return unused;
}

static void* other(void* unused) {
  order_await(1);
  text[3] = '_';  // RACE
  return unused;
}

int main(void) {
  stream = tmpfile();
  in_two_threads(printer, other);
  fclose(stream);
  return 0;
}
