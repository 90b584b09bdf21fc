// ranks: 2
// What is freed is what was allocated, once.
#include "case.h"
#include <unistd.h>

static void test(void) {
  int* other = shmem_malloc(COUNT * sizeof(int));
  RIGHT(shmem_free(other));
  RACY(alarm(10));
  RACY(shmem_free(other + 1));  // MISUSE rma-unreachable
}
