// ranks: 2
// The address of the target's memory is that of a symmetric object at the caller: memory of malloc is none (1.4, section 3).
#include "case.h"

static void test(void) {
  int* private = malloc(sizeof(int));
  if (pe == 0) {
    shmem_int_put(CASE(private, memory), ones, 1, 1);  // MISUSE rma-unreachable
  }
  free(private);
}
