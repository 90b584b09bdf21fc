// A fiber runs first on one thread and then, in order, on another.
#include <semaphore.h>

#include "order.h"

void* __tsan_get_current_fiber(void);
void* __tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void* fiber);
void __tsan_switch_to_fiber(void* fiber, unsigned flags);

void* fiber;
sem_t passed;
int state;

static void run(int value) {
  void* here = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(fiber, 0);
  state += value;
  __tsan_switch_to_fiber(here, 0);
}

static void* first(void* unused) {
  run(1);
  sem_post(&passed);
  return unused;
}

static void* second(void* unused) {
  sem_wait(&passed);
  run(2);
  order_reached(1);
  return unused;
}

int main(void) {
  sem_init(&passed, 0, 0);
  fiber = __tsan_create_fiber(0);
  pthread_t a, b;
  pthread_create(&a, NULL, first, NULL);
  pthread_create(&b, NULL, second, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  state++;
  __tsan_destroy_fiber(fiber);
  return 0;
}
