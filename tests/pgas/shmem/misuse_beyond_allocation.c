// ranks: 2
// An allocation has an end: what a put writes behind it is somebody else's.
#include "case.h"

static void test(void) {
  if (pe == 0) {
    shmem_int_put(memory + COUNT - 2, ones, CASE(3, 2), 1);  // MISUSE rma-out-of-bounds
  }
}
