// ranks: 2
// Programs of before OpenSHMEM 1.2: their allocations have bounds and names as others.
#include "case.h"

static void test(void) {
  int* old = shmalloc(COUNT * sizeof(int));
  if (pe == 0) shmem_int_put(old, ones, 4, 1);  // RACE
  RIGHT(shmem_barrier_all());
  if (pe == 1) use(old[3]);  // RACE
  shmem_barrier_all();
  shfree(old);
}
