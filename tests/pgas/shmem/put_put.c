// ranks: 3
// Puts of two PEs at a third one.
#include "case.h"

static void test(void) {
  if (pe == 0) shmem_int_put(memory, ones, 2, 2);  // RACE
  if (pe == 1) shmem_int_put(memory + CASE(1, 2), ones, 1, 2);  // RACE
}
