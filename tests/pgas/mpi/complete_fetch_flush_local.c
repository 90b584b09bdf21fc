// ranks: 2
// The result of a fetch is there when it is locally complete; its update of the target need not be.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) {
    MPI_Fetch_and_op(ones, got, MPI_INT, 1, 0, MPI_SUM, window);  // RACE
    CASE(MPI_Win_flush_local(1, window), MPI_Win_flush(1, window));
    use(got[0]);
  }
  MPI_Barrier(world);
  if (rank == 1) use(memory[0]);  // RACE
  MPI_Win_unlock_all(window);
  close_window();
}
