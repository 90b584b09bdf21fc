// ranks: 3
// A put and a get by another PE.
#include "case.h"

static void test(void) {
  if (pe == 0) shmem_int_put(memory, ones, 1, 2);  // RACE
  RIGHT(shmem_barrier_all());
  if (pe == 1) shmem_int_get(got, memory, 1, 2);  // RACE
}
