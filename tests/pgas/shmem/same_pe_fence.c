// ranks: 2
// A fence orders two puts of one PE to one place.
#include "case.h"

static void test(void) {
  if (pe == 0) {
    shmem_int_put(memory, ones, 1, 1);  // RACE
    RIGHT(shmem_fence());
    shmem_int_put(memory, ones + 1, 1, 1);  // RACE
  }
}
