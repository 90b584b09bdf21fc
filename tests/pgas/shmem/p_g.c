// ranks: 3
// The forms for one element.
#include "case.h"

static void test(void) {
  if (pe == 0) shmem_int_p(memory + 5, 1, 2);  // RACE
  RIGHT(shmem_barrier_all());
  if (pe == 1) use(shmem_int_g(memory + 5, 2));  // RACE
}
