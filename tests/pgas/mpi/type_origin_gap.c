// ranks: 2
// What the origin's type leaves out may be used while the operation is under way.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Datatype column;
  MPI_Type_vector(4, 1, 2, MPI_INT, &column);
  MPI_Type_commit(&column);
  MPI_Win_lock_all(0, window);
  if (rank == 0) {
    MPI_Get(got, 1, column, 1, 0, 4, MPI_INT, window);  // RACE
    got[1] = got[3] = 1;
    use(got[CASE(4, 5)]);  // RACE
  }
  MPI_Win_unlock_all(window);
  MPI_Type_free(&column);
  close_window();
}
