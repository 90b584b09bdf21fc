// ranks: 3
// The forms by width.
#include "case.h"

static void test(void) {
  if (pe == 0) shmem_put64(memory, ones, 2, 2);  // RACE
  if (pe == 1) shmem_put32(memory + CASE(3, 4), ones, 1, 2);  // RACE
}
