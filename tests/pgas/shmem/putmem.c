// ranks: 3
// The forms for bytes: they meet in the last one, or not.
#include "case.h"

static void test(void) {
  if (pe == 0) shmem_putmem(memory, ones, 8, 2);  // RACE
  if (pe == 1) shmem_putmem((char*)memory + CASE(7, 8), ones, 4, 2);  // RACE
}
