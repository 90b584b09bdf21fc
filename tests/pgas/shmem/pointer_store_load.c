// ranks: 2
// A store through shmem_ptr is an access to the other PE's memory, like its own load of it.
#include "case.h"

static void test(void) {
  int* there = pe == 0 ? shmem_ptr(memory, 1) : NULL;
  if (pe == 0 && there == NULL) shmem_global_exit(3);  // not on this machine
  shmem_barrier_all();
  if (pe == 0) there[2] = 1;  // RACE
  RIGHT(shmem_barrier_all());
  if (pe == 1) use(memory[2]);  // RACE
}
