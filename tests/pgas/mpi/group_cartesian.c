// ranks: 4
// A grid of two by two, and its rows: a barrier of a row is for two.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Comm grid, row;
  MPI_Cart_create(world, 2, (const int[]){2, 2}, (const int[]){0, 0}, 0, &grid);
  MPI_Cart_sub(grid, (const int[]){0, 1}, &row);  // 0 and 1, 2 and 3
  MPI_Win_lock_all(0, window);
  if (rank == 0) PUT(2, 0);  // RACE
  MPI_Win_flush_all(window);
  MPI_Barrier(row);
  if (rank == CASE(3, 1)) GET(2, 0);  // RACE
  MPI_Win_unlock_all(window);
  MPI_Comm_free(&row);
  MPI_Comm_free(&grid);
  close_window();
}
