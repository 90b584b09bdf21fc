// ranks: 2
// Through shmem_ptr, a flag of C11 orders PEs.
#include "case.h"
#include <sched.h>

static void test(void) {
  int* there = pe == 0 ? shmem_ptr(memory, 1) : memory;
  if (there == NULL) shmem_global_exit(3);  // not on this machine
  shmem_barrier_all();
  if (pe == 0) {
    there[2] = 1;  // RACE
    __atomic_store_n(&there[0], 1, CASE(__ATOMIC_RELAXED, __ATOMIC_RELEASE));
  } else {
    while (__atomic_load_n(&memory[0], __ATOMIC_ACQUIRE) == 0) sched_yield();
    use(memory[2]);  // RACE
  }
}
