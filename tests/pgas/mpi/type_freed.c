// ranks: 2
// A type may be freed while operations with it are under way, and its handle be used again by another.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  MPI_Datatype type;
  MPI_Type_contiguous(2, MPI_INT, &type);
  MPI_Type_commit(&type);
  if (rank == 0) MPI_Get(got, 1, type, 1, 0, 1, type, window);
  MPI_Type_free(&type);
  MPI_Type_contiguous(8, MPI_INT, &type);
  MPI_Type_commit(&type);
  if (rank == 0) MPI_Put(ones, 1, type, 1, 8, 1, type, window);  // RACE
  if (rank == 1) memory[CASE(15, 16)] = 1;  // RACE
  MPI_Type_free(&type);
  MPI_Win_unlock_all(window);
  close_window();
}
