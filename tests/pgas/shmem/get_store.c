// ranks: 2
// A get and a store at its target: the get must be over before the store.
#include "case.h"

static void test(void) {
  if (pe == 0) shmem_int_get(got, memory, 1, 1);  // RACE
  RIGHT(shmem_barrier_all());
  if (pe == 1) memory[0] = 2;  // RACE
}
