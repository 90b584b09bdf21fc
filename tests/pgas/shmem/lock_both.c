// ranks: 3
// A lock on both sides orders.
#include "case.h"

static void test(void) {
  if (pe == 0) {
    shmem_set_lock(&lock);
    shmem_int_put(memory, ones, 1, 2);  // RACE
    shmem_clear_lock(&lock);
  }
  if (pe == 1) {
    RIGHT(shmem_set_lock(&lock));
    shmem_int_put(memory, ones + 1, 1, 2);  // RACE
    RIGHT(shmem_clear_lock(&lock));
  }
}
