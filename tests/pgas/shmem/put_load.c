// ranks: 2
// A put and a load of its target, apart by a barrier or by nothing.
#include "case.h"

static void test(void) {
  if (pe == 0) shmem_int_put(memory, ones, 1, 1);  // RACE
  RIGHT(shmem_barrier_all());
  if (pe == 1) use(memory[0]);  // RACE
}
