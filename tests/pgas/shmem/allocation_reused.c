// ranks: 2
// Freeing symmetric memory is collective: what comes next is ordered.
#include "case.h"

static void test(void) {
  int* more = shmem_malloc(64);
  if (pe == 0) shmem_int_put(more, ones, 1, 1);  // RACE
  RIGHT(shmem_barrier_all());
  if (pe == 1) more[0] = 7;  // RACE
  shmem_free(more);
  more = shmem_malloc(64);
  if (pe == 1) more[0] = 8;
  shmem_free(more);
}
