// ranks: 3
// Parts of a shared window lie one behind the other: a loop that goes one too far is in the neighbour's.
#include "case.h"

static void test(void) {
  MPI_Win_allocate_shared(COUNT * sizeof(int), sizeof(int), MPI_INFO_NULL, world, &memory, &window);
  MPI_Win_lock_all(0, window);
  if (rank == 0) {
    for (int i = 1; i < COUNT + CASE(1, 0); ++i) memory[i] = i;  // RACE
  }
  if (rank == 1) memory[0] = 1;  // RACE
  MPI_Win_unlock_all(window);
  close_window();
}
