// ranks: 2
// Nor is a store of C11 ordered with a put of another rank.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) PUT(1, 3);  // RACE
  if (rank == 1) __atomic_store_n(&memory[CASE(3, 4)], 1, __ATOMIC_SEQ_CST);  // RACE
  MPI_Win_unlock_all(window);
  close_window();
}
