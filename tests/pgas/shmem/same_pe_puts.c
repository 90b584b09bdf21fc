// ranks: 2
// Two puts of one PE to the same place: quiet completes the first.
#include "case.h"

static void test(void) {
  if (pe == 0) {
    shmem_int_put(memory, ones, 1, 1);  // RACE
    RIGHT(shmem_quiet());
    shmem_int_put(memory, ones + 1, 1, 1);  // RACE
  }
}
