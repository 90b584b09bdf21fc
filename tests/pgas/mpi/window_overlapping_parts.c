// ranks: 3
// Two windows that overlap in a part: the second begins eight integers into the first.
#include "case.h"

static int table[COUNT];

static void test(void) {
  MPI_Win other;
  MPI_Win_create(table, 16 * sizeof(int), sizeof(int), MPI_INFO_NULL, world, &window);
  MPI_Win_create(table + 8, 16 * sizeof(int), sizeof(int), MPI_INFO_NULL, world, &other);
  MPI_Win_lock_all(0, window);
  MPI_Win_lock_all(0, other);
  if (rank == 0) PUT(1, 10);  // RACE
  if (rank == 2) MPI_Put(ones, 1, MPI_INT, 1, CASE(2, 10), 1, MPI_INT, other);  // RACE
  MPI_Win_unlock_all(other);
  MPI_Win_unlock_all(window);
  MPI_Win_free(&other);
  close_window();
}
