// An event counter is raised before the data is written.
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "order.h"

int event, data;

static void* producer(void* unused) {
  uint64_t one = 1;
  if (write(event, &one, 8) != 8) return NULL;
  data = 1;  // RACE
  order_reached(1);
  return unused;
}

static void* consumer(void* unused) {
  uint64_t count;
  if (read(event, &count, 8) != 8) return NULL;
  order_await(1);
  USE(data);  // RACE
  return unused;
}

int main(void) {
  event = eventfd(0, 0);
  in_two_threads(producer, consumer);
  return 0;
}
