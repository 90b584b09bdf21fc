// ranks: 3
// A barrier of some PEs says nothing to the others.
#include "case.h"

static void test(void) {
  if (pe == 0) shmem_int_put(memory, ones, 1, 1);  // RACE
  if (pe < 2) shmem_barrier(0, 0, 2, for_sync);
  RIGHT(shmem_barrier_all());
  if (pe == 2) shmem_int_p(memory, 4, 1);  // RACE
}
