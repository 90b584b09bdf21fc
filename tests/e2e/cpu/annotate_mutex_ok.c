// A mutex of the program's own is announced through the __tsan_mutex calls.
#include "order.h"

void __tsan_mutex_create(void* address, unsigned flags);
void __tsan_mutex_destroy(void* address, unsigned flags);
void __tsan_mutex_pre_lock(void* address, unsigned flags);
void __tsan_mutex_post_lock(void* address, unsigned flags, int recursion);
int __tsan_mutex_pre_unlock(void* address, unsigned flags);
void __tsan_mutex_post_unlock(void* address, unsigned flags);

char own;
int data;

static void lock(void) {
  __tsan_mutex_pre_lock(&own, 0);
  __tsan_mutex_post_lock(&own, 0, 0);
}

static void unlock(void) {
  __tsan_mutex_pre_unlock(&own, 0);
  __tsan_mutex_post_unlock(&own, 0);
}

static void* first(void* unused) {
  lock();
  data++;
  unlock();
  order_reached(1);
  return unused;
}

static void* second(void* unused) {
  order_await(1);
  lock();
  data++;
  unlock();
  return unused;
}

int main(void) {
  __tsan_mutex_create(&own, 0);
  in_two_threads(first, second);
  __tsan_mutex_destroy(&own, 0);
  return 0;
}
