// A whole struct is copied after a semaphore said that its members are written.
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
  shared.total = 3;
  sem_post(&filled);
  order_reached(1);
  return unused;
}

static void* copier(void* unused) {
  sem_wait(&filled);
  struct Order copy;
  copy = shared;
  USE_OBJECT(copy);
  return unused;
}

int main(void) {
  sem_init(&filled, 0, 0);
  in_two_threads(writer, copier);
  return 0;
}
