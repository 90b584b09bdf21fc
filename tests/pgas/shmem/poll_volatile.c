// ranks: 2
// A loop of loads waits for nothing: shmem_wait_until does.
// rule: rma-polling
#include "case.h"
#include <sched.h>

static void test(void) {
  if (pe == 0) {
    shmem_int_p(memory, 1, 1);  // RACE
    shmem_quiet();
  } else {
    RACY(while (*(volatile int*)memory == 0) sched_yield());  // RACE
    RIGHT(shmem_int_wait_until(memory, SHMEM_CMP_EQ, 1));
  }
}
