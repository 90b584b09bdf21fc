// Two threads write lines to one stream: it locks itself.
#include <stdio.h>

#include "order.h"

char text[32] = "some text";
FILE* stream;

static void* printer(void* unused) {
  for (int i = 0; i < 100; i++) fprintf(stream, "%s %d\n", text, i);
  fwrite(text, 1, 9, stream);
  order_reached(1);
  return unused;
}

static void* other(void* unused) {
  return printer(unused);
}

int main(void) {
  stream = tmpfile();
  in_two_threads(printer, other);
  fclose(stream);
  return 0;
}
