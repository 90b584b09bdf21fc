// An event counter is raised after the data is written, and read by the other thread.
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "order.h"

int event, data;

static void* producer(void* unused) {
  uint64_t one = 1;
  data = 1;
  if (write(event, &one, 8) != 8) return NULL;
  return unused;
}

static void* consumer(void* unused) {
  uint64_t count;
  if (read(event, &count, 8) != 8) return NULL;
  USE(data);
  return unused;
}

int main(void) {
  event = eventfd(0, 0);
  in_two_threads(producer, consumer);
  return 0;
}
