// ranks: 2
// A loop over window memory that ends where a put begins, or one byte further.
#include "case.h"

static void test(void) {
  char* bytes;
  MPI_Win_allocate(5000, 1, MPI_INFO_NULL, world, &bytes, &window);
  MPI_Win_lock_all(0, window);
  if (rank == 0) MPI_Put(ones, sizeof(ones), MPI_BYTE, 1, 4000, sizeof(ones), MPI_BYTE, window);  // RACE
  if (rank == 1) {
    for (int i = 0; i < 4000 + CASE(1, 0); ++i) bytes[i] = (char)i;  // RACE
  }
  MPI_Win_unlock_all(window);
  close_window();
}
