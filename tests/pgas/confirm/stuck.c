// ranks: 2
// Rank 0 puts and waits, without calling MPI, for an answer: a put that is deferred until it has to be complete never goes out.
#include "../mpi/case.h"

static void wait_for(int place) {
  volatile int* const at = &memory[place];
  while (*at == 0) sched_yield();  // RACE
}

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) {
    PUT(1, 0);  // RACE
    wait_for(1);
  } else {
    wait_for(0);
    PUT(0, 1);
    MPI_Win_flush(0, window);
  }
  MPI_Win_unlock_all(window);
  close_window();
}
