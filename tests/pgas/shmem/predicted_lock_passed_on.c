// ranks: 3
// A lock that is taken and given up between two puts orders them in a run that takes it in this order; under the lock they exclude each other in all.
#include <unistd.h>

#include "case.h"

static void test(void) {
  if (pe == 0) {
    shmem_set_lock(&lock);
    shmem_int_put(memory, ones, 1, 2);  // PREDICTED
    shmem_clear_lock(&lock);
  }
  if (pe == 1) {
    usleep(100000);
    shmem_set_lock(&lock);
    RIGHT(shmem_int_put(memory, ones + 1, 1, 2));
    shmem_clear_lock(&lock);
    RACY(shmem_int_put(memory, ones + 1, 1, 2));  // PREDICTED
  }
}
