// ranks: 2
// Strides are of elements, not of bytes: the last element is at (count - 1) * stride.
#include "case.h"

static void test(void) {
  if (pe == 0) {
    shmem_int_iget(got, memory, 1, CASE(4 * sizeof(int), 4), 8, 1);  // MISUSE rma-out-of-bounds
  }
}
