// ranks: 2
// A put has read its buffer when it returns; the nonblocking one when quiet does.
#include "case.h"

static void test(void) {
  if (pe == 0) {
    CASE(shmem_int_put_nbi, shmem_int_put)(memory, ones, 1, 1);  // RACE
    ones[0] = 2;  // RACE
  }
}
