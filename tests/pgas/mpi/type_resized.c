// ranks: 2
// A resized type: its elements lie four integers apart, two of which it has.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Datatype pair, spread;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_create_resized(pair, 0, 4 * sizeof(int), &spread);
  MPI_Type_commit(&spread);
  MPI_Win_lock_all(0, window);
  if (rank == 0) MPI_Put(ones, 6, MPI_INT, 1, 0, 3, spread, window);  // RACE
  if (rank == 1) memory[CASE(9, 10)] = 1;  // RACE
  MPI_Win_unlock_all(window);
  MPI_Type_free(&pair);
  MPI_Type_free(&spread);
  close_window();
}
