// ranks: 2
// An atomic operation of the processor is not atomic with MPI's: accumulates are among each other (MPI 3.1, 11.7.1).
// rule: rma-atomic
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) ADD(1, 3);  // RACE
  if (rank == 1) {
    RACY(__atomic_fetch_add(&memory[3], 1, __ATOMIC_SEQ_CST));  // RACE
    RIGHT(MPI_Fetch_and_op(ones, got, MPI_INT, 1, 3, MPI_SUM, window));
  }
  MPI_Win_unlock_all(window);
  close_window();
}
