// ranks: 2
// A fetching atomic is complete when it returns, but tells nobody.
#include "case.h"

static void test(void) {
  if (pe == 0) {
    use(shmem_int_atomic_fetch_add(memory, 1, 1));  // RACE
    RIGHT(shmem_long_atomic_set(&flag, 1, 1));
  }
  if (pe == 1) {
    RIGHT(wait_for_flag());
    memory[0] = 3;  // RACE
  }
}
