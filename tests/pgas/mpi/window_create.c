// ranks: 2
// A window over memory of the program's own: static, and only a part of it.
#include "case.h"

static int table[100];

static void test(void) {
  MPI_Win_create(table + 10, 20 * sizeof(int), sizeof(int), MPI_INFO_NULL, world, &window);
  MPI_Win_lock_all(0, window);
  if (rank == 0) PUT(1, 5);  // RACE
  if (rank == 1) table[CASE(15, 5)] = 1;  // RACE
  MPI_Win_unlock_all(window);
  close_window();
}
