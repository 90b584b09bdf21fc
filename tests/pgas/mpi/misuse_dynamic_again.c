// ranks: 2
// Memory that is attached again is in the window again; of a type with gaps each piece counts, not what lies between.
#include "case.h"

static void test(void) {
  MPI_Win_create_dynamic(MPI_INFO_NULL, world, &window);
  MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
  int* heap = calloc(COUNT, sizeof(int));
  const int end = CASE(COUNT - 9, COUNT - 8);
  MPI_Win_attach(window, heap, COUNT * sizeof(int));
  MPI_Win_detach(window, heap);
  MPI_Win_attach(window, heap, 8 * sizeof(int));
  MPI_Win_attach(window, heap + COUNT - 16, (end - (COUNT - 16)) * sizeof(int));
  MPI_Aint address, of_peer;
  MPI_Get_address(heap, &address);
  MPI_Sendrecv(&address, 1, MPI_AINT, 1 - rank, 0, &of_peer, 1, MPI_AINT, 1 - rank, 0, world, MPI_STATUS_IGNORE);
  MPI_Datatype ends;
  MPI_Type_vector(2, 8, COUNT - 16, MPI_INT, &ends);
  MPI_Type_commit(&ends);
  MPI_Win_lock_all(0, window);
  if (rank == 0) MPI_Put(ones, 16, MPI_INT, 1, of_peer, 1, ends, window);  // MISUSE rma-out-of-bounds
  MPI_Win_unlock_all(window);
  MPI_Barrier(world);
  MPI_Type_free(&ends);
  MPI_Win_detach(window, heap);
  MPI_Win_detach(window, heap + COUNT - 16);
  close_window();
  free(heap);
}
