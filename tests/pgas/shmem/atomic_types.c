// ranks: 3
// Atomics of two types do not exclude each other.
#include "case.h"

static void test(void) {
  if (pe == 0) shmem_long_atomic_inc((long*)memory, 2);  // RACE
  if (pe == 1) CASE(shmem_int_atomic_inc(memory, 2), shmem_long_atomic_add((long*)memory, 1, 2));  // RACE
}
