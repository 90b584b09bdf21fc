// ranks: 3
// A fence towards one PE says nothing to another that gets the flag; quiet does.
#include "case.h"

static void test(void) {
  if (pe == 0) {
    shmem_int_put(memory, ones, 1, 1);  // RACE
    CASE(shmem_fence(), shmem_quiet());
    shmem_long_p(&flag, 1, 2);
  } else if (pe == 2) {
    wait_for_flag();
    shmem_int_get(got, memory, 1, 1);  // RACE
  }
}
