// ranks: 2
// A PE that sets a lock which it holds waits for itself.
#include "case.h"
#include <unistd.h>

static void test(void) {
  RACY(alarm(3));
  if (pe == 0) {
    shmem_set_lock(&lock);
    RIGHT(shmem_clear_lock(&lock));
    shmem_set_lock(&lock);  // MISUSE rma-double-lock
    shmem_clear_lock(&lock);
  }
}
