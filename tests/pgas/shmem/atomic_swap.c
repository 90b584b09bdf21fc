// ranks: 3
// Swap and compare-and-swap.
#include "case.h"

static void test(void) {
  if (pe == 0) use((int)shmem_long_atomic_swap(&flag, 1, 2));  // RACE
  if (pe == 1) CASE(shmem_long_p(&flag, 1, 2), use((int)shmem_long_atomic_compare_swap(&flag, 0, 1, 2)));  // RACE
}
