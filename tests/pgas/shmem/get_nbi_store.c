// ranks: 2
// The same against a store.
#include "case.h"

static void test(void) {
  if (pe == 0) {
    shmem_int_get_nbi(got, memory, 1, 1);  // RACE
    RIGHT(shmem_quiet());
    got[0] = 2;  // RACE
  }
}
