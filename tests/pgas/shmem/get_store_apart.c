// ranks: 2
// A get beside the element that is stored, or of it.
#include "case.h"

static void test(void) {
  if (pe == 0) shmem_int_get(got, memory + CASE(1, 2), 1, 1);  // RACE
  if (pe == 1) memory[1] = 2;  // RACE
}
