// ranks: 2
// The share of process 1 of 2 in a matrix of 8 by 8 whose columns are dealt out in pairs: columns 2, 3, 6 and 7 of each row.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Datatype share;
  const int sizes[] = {8, 8}, how[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC};
  const int blocks[] = {MPI_DISTRIBUTE_DFLT_DARG, 2}, processes[] = {1, 2};
  MPI_Type_create_darray(2, 1, 2, sizes, how, blocks, processes, MPI_ORDER_C, MPI_INT, &share);
  MPI_Type_commit(&share);
  MPI_Win_lock_all(0, window);
  if (rank == 0) MPI_Put(ones, 32, MPI_INT, 1, 0, 1, share, window);  // RACE
  if (rank == 1) {
    memory[0] = memory[1] = memory[3 * 8 + 4] = memory[7 * 8 + 5] = 1;
    memory[5 * 8 + CASE(6, 5)] = 1;  // RACE
  }
  MPI_Win_unlock_all(window);
  MPI_Type_free(&share);
  close_window();
}
