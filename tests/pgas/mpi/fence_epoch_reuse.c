// ranks: 4
// Everybody puts to everybody, each to its own place, and reads the others' behind the fence.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
  for (int to = 0; to < size; ++to) PUT(to, CASE(rank == 3 ? 2 : rank, rank));  // RACE RACE
  MPI_Win_fence(0, window);
  for (int to = 0; to < size; ++to) {
    MPI_Get(got + to, 1, MPI_INT, to, rank, 1, MPI_INT, window);
  }
  MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
  for (int from = 0; from < size; ++from) use(got[from]);
  close_window();
}
