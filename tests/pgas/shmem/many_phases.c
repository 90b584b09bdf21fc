// ranks: 2
// A race is found behind a thousand barriers, and a thousand barriers are none.
#include "case.h"

static void test(void) {
  for (int i = 0; i < 1000; ++i) {
    if (pe == 0) shmem_int_put(memory + 1, ones, 1, 1);
    shmem_barrier_all();
    if (pe == 1) use(memory[1]);
    shmem_barrier_all();
  }
  if (pe == 0) shmem_int_put(memory, ones, 1, 1);  // RACE
  RIGHT(shmem_barrier_all());
  if (pe == 1) use(memory[0]);  // RACE
}
