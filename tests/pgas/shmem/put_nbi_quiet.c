// ranks: 2
// Quiet completes a nonblocking put for its buffer.
#include "case.h"

static void test(void) {
  if (pe == 0) {
    shmem_int_put_nbi(memory, ones, 1, 1);  // RACE
    RIGHT(shmem_quiet());
    ones[0] = 2;  // RACE
  }
}
