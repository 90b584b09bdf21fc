// ranks: 2
// An active set has PEs that there are.
#include "case.h"
#include <unistd.h>

static void test(void) {
  RACY(alarm(5));
  if (pe == 0 || pe == 1) {
    shmem_barrier(0, 0, CASE(3, 2), for_sync);  // MISUSE rma-no-such-rank
  }
}
