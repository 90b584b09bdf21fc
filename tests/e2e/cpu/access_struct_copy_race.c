// A whole struct is copied while another thread writes one of its members.
#include <semaphore.h>

#include "order.h"

struct Order {
  long id;
  char name[40];
  long total;
};
struct Order shared;
sem_t filled;

static void* writer(void* unused) {
  shared.total = 3;  // RACE
  order_reached(1);
  return unused;
}

static void* copier(void* unused) {
  order_await(1);
  struct Order copy;
  copy = shared;  // RACE
  USE_OBJECT(copy);
  return unused;
}

int main(void) {
  sem_init(&filled, 0, 0);
  in_two_threads(writer, copier);
  return 0;
}
