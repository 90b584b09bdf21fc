// ranks: 2
// A lock is cleared by the PE that has set it.
#include "case.h"
#include <unistd.h>

static void test(void) {
  RACY(alarm(10));
  if (pe == 0) shmem_set_lock(&lock);
  shmem_barrier_all();
  if (pe == CASE(1, 0)) {
    shmem_clear_lock(&lock);  // MISUSE rma-unlock-unlocked
  }
}
