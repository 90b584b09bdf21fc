// ranks: 2
// What a reduction works on is symmetric, its source, too.
#include "case.h"

static void test(void) {
  int* mine = malloc(sizeof(int));
  *mine = 1;
  shmem_int_sum_to_all(memory, CASE(mine, ones), 1, 0, 0, pes, for_work, for_sync);  // MISUSE rma-unreachable
  free(mine);
}
