// ranks: 3
// A broadcast orders its root before the others, not the others before each other.
#include "case.h"

static void test(void) {
  if (pe == CASE(1, 0)) {
    shmem_int_put(memory, ones, 1, 2);  // RACE
    shmem_quiet();
  }
  shmem_broadcast32(memory + 8, memory + 16, 1, 0, 0, 0, pes, for_sync);
  if (pe == 2) use(memory[0]);  // RACE
}
