// ranks: 3
// A reduction to all orders all, and completes nothing.
#include "case.h"

static void test(void) {
  if (pe == 0) {
    shmem_int_put(memory, ones, 1, 2);  // RACE
    RIGHT(shmem_quiet());
  }
  shmem_int_sum_to_all(memory + 8, memory + 16, 1, 0, 0, pes, for_work, for_sync);
  if (pe == 2) use(memory[0]);  // RACE
}
