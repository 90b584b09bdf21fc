// ranks: 2
// A strided get reads its elements only.
#include "case.h"

static void test(void) {
  if (pe == 0) shmem_int_iget(got, memory, 1, 4, 2, 1);  // RACE
  if (pe == 1) memory[CASE(4, 3)] = 1;  // RACE
}
