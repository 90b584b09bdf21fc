// C11 condition variables: cnd_wait and cnd_signal hand data over.
#include <threads.h>

#include "order.h"

mtx_t lock;
cnd_t changed;
int ready, data;

static int producer(void* unused) {
  data = 1;
  mtx_lock(&lock);
  ready = 1;
  cnd_signal(&changed);
  mtx_unlock(&lock);
  order_reached(1);
  return unused != NULL;
}

int main(void) {
  mtx_init(&lock, mtx_plain);
  cnd_init(&changed);
  thrd_t thread;
  thrd_create(&thread, producer, NULL);
  mtx_lock(&lock);
  while (!ready) cnd_wait(&changed, &lock);
  mtx_unlock(&lock);
  USE(data);
  thrd_join(thread, NULL);
  cnd_destroy(&changed);
  mtx_destroy(&lock);
  return 0;
}
