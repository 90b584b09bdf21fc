// ranks: 2
// A fence does not complete a put for a get that follows; quiet does.
#include "case.h"

static void test(void) {
  if (pe == 0) {
    shmem_int_put(memory, ones, 1, 1);  // RACE
    CASE(shmem_fence(), shmem_quiet());
    shmem_int_get(got, memory, 1, 1);  // RACE
  }
}
