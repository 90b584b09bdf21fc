// ranks: 2
// PEs are 0 to shmem_n_pes() - 1: the last one's neighbour to the right is PE 0.
#include "case.h"

static void test(void) {
  if (pe == 1) {
    shmem_int_get(got, memory, 1, CASE(pe + 1, (pe + 1) % pes));  // MISUSE rma-no-such-rank
  }
}
