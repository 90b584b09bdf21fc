// ranks: 2
// Atomics of OpenSHMEM are atomic among each other (1.4, section 9.7): with the processor's own they race.
// rule: rma-atomic
#include "case.h"

static void test(void) {
  if (pe == 0) shmem_int_atomic_add(memory, 1, 1);  // RACE
  if (pe == 1) {
    RACY(__atomic_fetch_add(memory, 1, __ATOMIC_SEQ_CST));  // RACE
    RIGHT(shmem_int_atomic_inc(memory, 1));
  }
}
