// ranks: 3
// Atomics of one type exclude each other; an atomic and a put do not.
#include "case.h"

static void test(void) {
  if (pe == 0) shmem_int_atomic_inc(memory, 2);  // RACE
  if (pe == 1) CASE(shmem_int_p(memory, 1, 2), shmem_int_atomic_add(memory, 3, 2));  // RACE
}
