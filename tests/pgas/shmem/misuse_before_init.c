// ranks: 2
// Nor before shmem_init: a constructor of the program is too early.
#include "case.h"

static void first(void) {
  if (pe == 0) shmem_long_p(&flag, 0, 0);  // MISUSE rma-not-running
}

__attribute__((constructor)) static void early(void) {
  RACY(first());
}

static void test(void) {
  first();
}
