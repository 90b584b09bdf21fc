// ranks: 2
// Memory that was freed is no symmetric object any more.
#include "case.h"

static void test(void) {
  int* other = shmem_malloc(COUNT * sizeof(int));
  RACY(shmem_free(other));
  if (pe == 0) {
    shmem_int_p(other, 1, 1);  // MISUSE rma-unreachable
  }
  RIGHT(shmem_free(other));
}
