// ranks: 2
// The target clears its memory, with a call of the library, beside a get.
#include "case.h"

static void test(void) {
  char* bytes;
  MPI_Win_allocate(1 << 20, 1, MPI_INFO_NULL, world, &bytes, &window);
  MPI_Win_lock_all(0, window);
  if (rank == 0) MPI_Get(got, 1, MPI_BYTE, 1, 70000, 1, MPI_BYTE, window);  // RACE
  if (rank == 1) memset(bytes, 0, 70000 + CASE(1, 0));  // RACE
  MPI_Win_unlock_all(window);
  close_window();
}
