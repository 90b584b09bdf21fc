// ranks: 2
// Data, a fence, a flag to the same PE.
#include "case.h"

static void test(void) {
  if (pe == 0) {
    shmem_int_put(memory, ones, 1, 1);  // RACE
    RIGHT(shmem_fence());
    shmem_long_p(&flag, 1, 1);
  } else {
    wait_for_flag();
    use(memory[0]);  // RACE
  }
}
