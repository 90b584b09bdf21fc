// ranks: 4
// A stencil with halo cells 0 and 9, in a ring: each rank puts its edges to its neighbours between fences.
#include "case.h"

static void test(void) {
  open_window();
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  for (int step = 0; step < 5; ++step) {
    for (int i = 1; i < 9; ++i) memory[i] += 1;
    MPI_Win_fence(0, window);
    MPI_Put(memory + 1, 1, MPI_INT, left, 9, 1, MPI_INT, window);
    MPI_Put(memory + 8, 1, MPI_INT, right, 0, 1, MPI_INT, window);  // RACE
    RIGHT(MPI_Win_fence(0, window));
    use(memory[0]);  // RACE
    RACY(MPI_Win_fence(0, window));
    use(memory[9]);
  }
  close_window();
}
