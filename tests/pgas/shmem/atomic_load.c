// ranks: 2
// An atomic and a load at its target.
#include "case.h"

static void test(void) {
  if (pe == 0) shmem_int_atomic_add(memory, 1, 1);  // RACE
  RIGHT(shmem_barrier_all());
  if (pe == 1) use(memory[0]);  // RACE
}
