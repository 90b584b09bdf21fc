// ranks: 2
// A window over allocated memory: what is stored before it exists is before everything in it.
#include "case.h"

static void test(void) {
  int* heap = malloc(COUNT * sizeof(int));
  RIGHT(heap[0] = 1);
  MPI_Win_create(heap, COUNT * sizeof(int), sizeof(int), MPI_INFO_NULL, world, &window);
  MPI_Win_lock_all(0, window);
  if (rank == 0) GET(1, 0);  // RACE
  RACY(if (rank == 1) heap[0] = 1);  // RACE
  MPI_Win_unlock_all(window);
  close_window();
  free(heap);
}
