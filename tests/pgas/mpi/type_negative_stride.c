// ranks: 2
// A vector that goes backwards from its displacement.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Datatype backwards;
  MPI_Type_vector(4, 1, -2, MPI_INT, &backwards);  // 10, 8, 6, 4
  MPI_Type_commit(&backwards);
  MPI_Win_lock_all(0, window);
  if (rank == 0) MPI_Put(ones, 4, MPI_INT, 1, 10, 1, backwards, window);  // RACE
  if (rank == 1) memory[CASE(4, 12)] = 1;  // RACE
  MPI_Win_unlock_all(window);
  MPI_Type_free(&backwards);
  close_window();
}
