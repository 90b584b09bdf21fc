// ranks: 3
// Long puts that share one byte, or just do not.
#include "case.h"

enum { LONG = 100000 };
static char from[LONG];

static void test(void) {
  char* bytes;
  MPI_Win_allocate(2 * LONG, 1, MPI_INFO_NULL, world, &bytes, &window);
  MPI_Win_lock_all(0, window);
  if (rank == 0) MPI_Put(from, LONG, MPI_BYTE, 1, 0, LONG, MPI_BYTE, window);  // RACE
  if (rank == 2) MPI_Put(from, LONG, MPI_BYTE, 1, LONG - CASE(1, 0), LONG, MPI_BYTE, window);  // RACE
  MPI_Win_unlock_all(window);
  close_window();
}
