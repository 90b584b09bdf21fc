// A write between AnnotateIgnoreWritesBegin and End does not count.
#include "order.h"

void AnnotateIgnoreWritesBegin(const char* file, int line);
void AnnotateIgnoreWritesEnd(const char* file, int line);
int data;

static void* writer(void* unused) {
  AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
  data = 1;
  AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
  order_reached(1);
  return unused;
}

static void* reader(void* unused) {
  order_await(1);
  USE(data);
  return unused;
}

int main(void) {
  in_two_threads(writer, reader);
  return 0;
}
