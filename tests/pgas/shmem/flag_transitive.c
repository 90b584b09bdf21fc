// ranks: 3
// Order goes on over a third PE.
#include "case.h"

static void test(void) {
  if (pe == 0) {
    shmem_int_put(memory, ones, 1, 2);  // RACE
    RIGHT(shmem_quiet());
    shmem_long_p(&flag, 1, 1);
  } else if (pe == 1) {
    wait_for_flag();
    shmem_long_p(&flag, 1, 2);
  } else {
    wait_for_flag();
    use(memory[0]);  // RACE
  }
}
