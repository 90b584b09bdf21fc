// ranks: 3
// And whoever takes part is one of them.
#include "case.h"
#include <unistd.h>

static void test(void) {
  RACY(alarm(5));
  if (pe == 0 || pe == CASE(1, 2)) {
    shmem_sync(0, 1, 2, for_sync);  // MISUSE rma-no-such-rank
  }
}
