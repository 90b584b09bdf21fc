// ranks: 3
// Two ranks store into a third one's part, which has pages of its own.
#include "case.h"

static void test(void) {
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "alloc_shared_noncontig", "true");
  MPI_Win_allocate_shared(COUNT * sizeof(int), sizeof(int), info, world, &memory, &window);
  MPI_Info_free(&info);
  MPI_Aint bytes;
  int unit, *of_two;
  MPI_Win_shared_query(window, 2, &bytes, &unit, &of_two);
  MPI_Win_lock_all(0, window);
  if (rank < 2) of_two[CASE(0, rank)] = rank;  // RACE RACE
  MPI_Win_unlock_all(window);
  close_window();
}
