// ranks: 2
// Nor is a variable of a function, also where the target has a variable of the same function.
#include "case.h"

static void test(void) {
  int mine = 0;
  if (pe == 0) {
    shmem_int_atomic_inc(CASE(&mine, memory), 1);  // MISUSE rma-unreachable
  }
  use(mine);
}
