// ranks: 3
// A put by a third PE and a load through shmem_ptr, of another word than the pointer was asked for.
#include "case.h"

static void test(void) {
  const int* there = pe == 0 ? shmem_ptr(memory + 8, 1) : NULL;
  if (pe == 0 && there == NULL) shmem_global_exit(3);  // not on this machine
  shmem_barrier_all();
  if (pe == 2) shmem_int_put(memory + 4, ones, 1, 1);  // RACE
  RIGHT(shmem_barrier_all());
  if (pe == 0) use(there[-4]);  // RACE
}
