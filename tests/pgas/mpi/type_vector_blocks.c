// ranks: 2
// Blocks of three integers, five apart, twice: the extent ends with the last block, so the second element begins at once.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Datatype blocks;
  MPI_Type_vector(2, 3, 5, MPI_INT, &blocks);  // 0..2, 5..7; extent 8
  MPI_Type_commit(&blocks);
  MPI_Win_lock_all(0, window);
  if (rank == 0) MPI_Put(ones, 12, MPI_INT, 1, 0, 2, blocks, window);  // RACE
  if (rank == 1) {
    memory[3] = memory[4] = memory[11] = memory[12] = memory[16] = 1;
    memory[CASE(13, 17)] = 1;  // RACE
  }
  MPI_Win_unlock_all(window);
  MPI_Type_free(&blocks);
  close_window();
}
