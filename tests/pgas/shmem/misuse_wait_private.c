// ranks: 2
// Others can only write what is symmetric: waiting for anything else waits for nobody.
#include "case.h"

static void test(void) {
  int mine = 1;
  memory[0] = 1;
  shmem_int_wait_until(CASE(&mine, memory), SHMEM_CMP_EQ, 1);  // MISUSE rma-unreachable
  use(mine);
}
