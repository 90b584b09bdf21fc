// ranks: 2
// A flush is for all threads of its rank, if it knows of their operations.
#define THREADS
#include <pthread.h>

#include "case.h"

static void* put(void* unused) {
  PUT(1, 0);  // RACE
  return unused;
}

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) {
    pthread_t thread;
    pthread_create(&thread, NULL, put, NULL);
    pthread_join(thread, NULL);
    RIGHT(MPI_Win_flush(1, window));
  }
  MPI_Barrier(world);
  if (rank == 1) use(memory[0]);  // RACE
  MPI_Win_unlock_all(window);
  close_window();
}
