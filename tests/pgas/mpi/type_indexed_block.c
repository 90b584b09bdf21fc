// ranks: 3
// Blocks of one length, and blocks placed by bytes.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Datatype pairs, places;
  MPI_Type_create_indexed_block(2, 2, (const int[]){4, 0}, MPI_INT, &pairs);  // 4, 5, 0, 1
  MPI_Type_create_hindexed(2, (const int[]){1, 2}, (const MPI_Aint[]){8, CASE(20, 24)}, MPI_INT, &places);  // 2, 5 or 6..
  MPI_Type_commit(&pairs);
  MPI_Type_commit(&places);
  MPI_Win_lock_all(0, window);
  if (rank == 0) MPI_Put(ones, 4, MPI_INT, 1, 0, 1, pairs, window);  // RACE
  if (rank == 2) MPI_Put(ones, 3, MPI_INT, 1, 0, 1, places, window);  // RACE
  MPI_Win_unlock_all(window);
  MPI_Type_free(&pairs);
  MPI_Type_free(&places);
  close_window();
}
