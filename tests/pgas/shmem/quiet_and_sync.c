// ranks: 2
// quiet, then sync_all: as a barrier. In the other order not.
#include "case.h"

static void test(void) {
  if (pe == 0) shmem_int_put(memory, ones, 1, 1);  // RACE
  RIGHT(shmem_quiet());
  shmem_sync_all();
  RACY(shmem_quiet());
  if (pe == 1) use(memory[0]);  // RACE
}
