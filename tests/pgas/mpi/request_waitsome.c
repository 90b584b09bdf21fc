// ranks: 2
// MPI_Waitsome and MPI_Testsome complete those that they list.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) {
    MPI_Request requests[3];
    for (int i = 0; i < 3; ++i) {
      MPI_Rget(got + i, 1, MPI_INT, 1, i, 1, MPI_INT, window, &requests[i]);  // RACE
    }
    RACY(use(got[2]));  // RACE
    for (int left = 3, done, which[3]; left > 0; left -= done) {
      if (left == 3) {
        MPI_Waitsome(3, requests, &done, which, MPI_STATUSES_IGNORE);
      } else {
        MPI_Testsome(3, requests, &done, which, MPI_STATUSES_IGNORE);
      }
      for (int i = 0; i < done; ++i) use(got[which[i]]);
    }
  }
  MPI_Win_unlock_all(window);
  close_window();
}
