// ranks: 2
// Memory of the symmetric heap that is in no allocation is nobody's: what the library keeps there, for one.
#include "case.h"

static void test(void) {
  int* second = shmem_malloc(COUNT * sizeof(int));
  int* upper = second > memory ? second : memory;
  if (pe == 0) {
    shmem_int_g(upper - CASE(1, 0), 1);  // MISUSE rma-unreachable
  }
  shmem_free(second);
}
