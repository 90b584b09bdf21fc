// ranks: 2
// A put and a store at its target.
#include "case.h"

static void test(void) {
  if (pe == 0) shmem_int_put(memory, ones, 1, 1);  // RACE
  RIGHT(shmem_barrier_all());
  if (pe == 1) memory[0] = 2;  // RACE
}
