// ranks: 2
// Nothing is called behind shmem_finalize.
#include "case.h"
#include <unistd.h>

static void test(void) {
#ifdef RACE
  shmem_finalize();
#endif
  if (pe == 0) {
    shmem_int_p(memory, 1, 1);  // MISUSE rma-not-running
  }
  RACY(_exit(0));
}
