// ranks: 2
// A structure with a gap: the bytes in it are nobody's.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Datatype both;
  MPI_Type_create_struct(2, (const int[]){1, 1}, (const MPI_Aint[]){0, 8}, (const MPI_Datatype[]){MPI_CHAR, MPI_DOUBLE}, &both);
  MPI_Type_commit(&both);
  MPI_Win_lock_all(0, window);
  if (rank == 0) MPI_Put(ones, 2, both, 1, 0, 2, both, window);  // RACE
  if (rank == 1) {
    ((char*)memory)[1] = 1;
    ((char*)memory)[CASE(16, 23)] = 1;  // RACE
  }
  MPI_Win_unlock_all(window);
  MPI_Type_free(&both);
  close_window();
}
