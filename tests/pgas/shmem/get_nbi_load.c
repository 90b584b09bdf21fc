// ranks: 2
// A nonblocking get fills its buffer until quiet.
#include "case.h"

static void test(void) {
  if (pe == 0) {
    shmem_int_get_nbi(got, memory, 1, 1);  // RACE
    RIGHT(shmem_quiet());
    use(got[0]);  // RACE
  }
}
