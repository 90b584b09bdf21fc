// ranks: 3
// What a lock passed on is passed on by messages, and is no more certain for it; a message from the first rank itself is.
#include <unistd.h>

#include "case.h"

static void test(void) {
  open_window();
  if (rank == 0) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);
    PUT(1, 0);  // PREDICTED
    MPI_Win_unlock(1, window);
    RIGHT(tell(1));
  }
  if (rank == 2) {
    usleep(100000);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);
    PUT(1, 8);
    MPI_Win_unlock(1, window);
    tell(1);
  }
  if (rank == 1) {
    RIGHT(hear(0));
    hear(2);
    use(memory[0]);  // PREDICTED
  }
  close_window();
}
