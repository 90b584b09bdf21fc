// ranks: 2
// A block of a matrix of 8 by 8: rows 2 and 3, columns 4 to 6.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Datatype block;
  MPI_Type_create_subarray(2, (const int[]){8, 8}, (const int[]){2, 3}, (const int[]){2, 4}, MPI_ORDER_C, MPI_INT, &block);
  MPI_Type_commit(&block);
  MPI_Win_lock_all(0, window);
  if (rank == 0) MPI_Put(ones, 6, MPI_INT, 1, 0, 1, block, window);  // RACE
  if (rank == 1) {
    memory[2 * 8 + 3] = memory[2 * 8 + 7] = memory[1 * 8 + 5] = memory[4 * 8 + 5] = 1;
    memory[3 * 8 + CASE(6, 7)] = 1;  // RACE
  }
  MPI_Win_unlock_all(window);
  MPI_Type_free(&block);
  close_window();
}
