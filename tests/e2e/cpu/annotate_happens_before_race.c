// AnnotateHappensBefore comes before the write it should order.
#include "order.h"

void AnnotateHappensBefore(const char* file, int line, unsigned long address);
void AnnotateHappensAfter(const char* file, int line, unsigned long address);
int data;
char key;

static void* producer(void* unused) {
  AnnotateHappensBefore(__FILE__, __LINE__, (unsigned long)&key);
  data = 1;  // RACE
  order_reached(1);
  return unused;
}

static void* consumer(void* unused) {
  order_await(1);
  AnnotateHappensAfter(__FILE__, __LINE__, (unsigned long)&key);
  USE(data);  // RACE
  return unused;
}

int main(void) {
  in_two_threads(producer, consumer);
  return 0;
}
