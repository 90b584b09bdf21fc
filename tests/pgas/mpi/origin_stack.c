// ranks: 2
// A buffer on the stack that the function does not wait for: the next function's variables are in the same place.
// With MPICH that is the end: the data arrive in the middle of its own functions' frames. What was found is reported.
// ends: anyhow
#include "case.h"

__attribute__((noinline)) static void begin(void) {
  int buffer[16];
  MPI_Get(buffer, 16, MPI_INT, 1, 0, 16, MPI_INT, window);  // RACE
  RIGHT(MPI_Win_flush_local(1, window));
}

__attribute__((noinline)) static void next(void) {
  volatile int other[16];
  for (int i = 0; i < 16; ++i) other[i] = i;  // RACE
}

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) {
    begin();
    next();
  }
  MPI_Win_unlock_all(window);
  close_window();
}
