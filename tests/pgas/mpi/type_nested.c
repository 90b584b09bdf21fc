// ranks: 3
// A vector of structures: each has its first integer and its third.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Datatype one, many;
  MPI_Type_create_struct(2, (const int[]){1, 1}, (const MPI_Aint[]){0, 8}, (const MPI_Datatype[]){MPI_INT, MPI_INT}, &one);
  MPI_Type_create_hvector(4, 1, 16, one, &many);  // 0, 2, 4, 6, ...
  MPI_Type_commit(&many);
  MPI_Win_lock_all(0, window);
  if (rank == 0) MPI_Put(ones, 8, MPI_INT, 1, 0, 1, many, window);  // RACE
  if (rank == 2) MPI_Get(got, 8, MPI_INT, 1, CASE(14, 15), 1, many, window);  // RACE
  MPI_Win_unlock_all(window);
  MPI_Type_free(&one);
  MPI_Type_free(&many);
  close_window();
}
