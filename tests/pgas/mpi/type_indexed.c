// ranks: 2
// Blocks of different lengths at different places.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Datatype parts;
  MPI_Type_indexed(3, (const int[]){2, 1, 3}, (const int[]){10, 0, 5}, MPI_INT, &parts);  // 10, 11, 0, 5, 6, 7
  MPI_Type_commit(&parts);
  MPI_Win_lock_all(0, window);
  if (rank == 0) MPI_Put(ones, 6, MPI_INT, 1, 0, 1, parts, window);  // RACE
  if (rank == 1) {
    for (int i = 1; i < 5; ++i) memory[i] = 1;
    memory[8] = memory[9] = 1;
    memory[CASE(11, 12)] = 1;  // RACE
  }
  MPI_Win_unlock_all(window);
  MPI_Type_free(&parts);
  close_window();
}
