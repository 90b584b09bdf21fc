// ranks: 2
// sync_all synchronises and completes nothing; barrier_all does both.
#include "case.h"

static void test(void) {
  if (pe == 0) shmem_int_put(memory, ones, 1, 1);  // RACE
  CASE(shmem_sync_all(), shmem_barrier_all());
  if (pe == 1) use(memory[0]);  // RACE
}
