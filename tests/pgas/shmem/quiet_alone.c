// ranks: 2
// quiet tells nobody.
#include "case.h"

static void test(void) {
  if (pe == 0) {
    shmem_int_put(memory, ones, 1, 1);  // RACE
    shmem_quiet();
  }
  RIGHT(shmem_sync_all());
  if (pe == 1) use(memory[0]);  // RACE
}
