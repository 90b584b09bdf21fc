// ranks: 3
// Thousands of puts in one epoch, of which one hits another rank's.
#include "case.h"

enum { MANY = 5000 };

static void test(void) {
  MPI_Win_allocate(2 * MANY * sizeof(int), sizeof(int), MPI_INFO_NULL, world, &memory, &window);
  MPI_Win_fence(0, window);
  if (rank == 0) {
    for (int i = 0; i < MANY; ++i) PUT(1, 2 * i);  // RACE
  }
  if (rank == 2) {
    for (int i = 0; i < MANY; ++i) PUT(1, i == 3000 ? CASE(6000, 6001) : 2 * i + 1);  // RACE
  }
  MPI_Win_fence(0, window);
  close_window();
}
