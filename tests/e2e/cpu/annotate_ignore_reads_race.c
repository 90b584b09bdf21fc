// A read after AnnotateIgnoreReadsEnd counts again.
#include "order.h"

void AnnotateIgnoreReadsBegin(const char* file, int line);
void AnnotateIgnoreReadsEnd(const char* file, int line);
int data;

static void* writer(void* unused) {
  data = 1;  // RACE
  order_reached(1);
  return unused;
}

static void* reader(void* unused) {
  order_await(1);
  AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
  USE(data);
  AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
  USE(data);  // RACE
  return unused;
}

int main(void) {
  in_two_threads(writer, reader);
  return 0;
}
