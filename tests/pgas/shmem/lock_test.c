// ranks: 3
// test_lock takes the lock, too.
#include "case.h"

static void test(void) {
  if (pe == 0) {
    while (shmem_test_lock(&lock) != 0) continue;
    shmem_int_put(memory, ones, 1, 2);  // RACE
    shmem_clear_lock(&lock);
  }
  if (pe == 1) {
    RIGHT(shmem_set_lock(&lock));
    shmem_int_put(memory, ones + 1, 1, 2);  // RACE
    RIGHT(shmem_clear_lock(&lock));
  }
}
