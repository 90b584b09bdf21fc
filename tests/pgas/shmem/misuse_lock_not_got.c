// ranks: 2
// shmem_test_lock returns 0 where it has set the lock: else there is nothing to clear.
#include "case.h"
#include <unistd.h>

static void test(void) {
  RACY(alarm(10));
  if (pe == 0) shmem_set_lock(&lock);
  shmem_barrier_all();
  if (pe == 1) {
    const int refused = shmem_test_lock(&lock);
    if (CASE(refused != 0, refused == 0)) {
      shmem_clear_lock(&lock);  // MISUSE rma-unlock-unlocked
    }
  }
  shmem_barrier_all();
  if (pe == 0) shmem_clear_lock(&lock);
}
