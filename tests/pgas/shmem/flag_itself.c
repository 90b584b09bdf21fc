// ranks: 2
// Who has seen the flag may write it again.
#include "case.h"

static void test(void) {
  if (pe == 0) shmem_long_p(&flag, 1, 1);  // RACE
  if (pe == 1) {
    RIGHT(wait_for_flag());
    flag = 2;  // RACE
  }
}
