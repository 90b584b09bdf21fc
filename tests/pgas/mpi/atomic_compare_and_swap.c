// ranks: 4
// Compare-and-swap from everybody, to win a lock word, is atomic; one who writes it with MPI_Put is not.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  const int mine = rank + 1, none = 0;
  int before = 0;
  if (rank != CASE(3, -1)) {
    MPI_Compare_and_swap(&mine, &none, &before, MPI_INT, 0, 0, window);  // RACE
    MPI_Win_flush(0, window);
  } else {
    PUT(0, 0);  // RACE
  }
  MPI_Win_unlock_all(window);
  close_window();
}
