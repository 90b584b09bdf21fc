// ranks: 3
// A strided put leaves its gaps alone.
#include "case.h"

static void test(void) {
  if (pe == 0) shmem_int_iput(memory, ones, 2, 1, 3, 2);  // RACE
  if (pe == 1) shmem_int_p(memory + CASE(2, 3), 1, 2);  // RACE
}
