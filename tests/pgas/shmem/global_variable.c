// ranks: 2
// Global variables are symmetric memory.
#include "case.h"

static void test(void) {
  if (pe == 0) shmem_long_put(&flag, (long[]){3}, 1, 1);  // RACE
  RIGHT(shmem_barrier_all());
  if (pe == 1) use((int)flag);  // RACE
}
