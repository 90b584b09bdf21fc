// ranks: 2
// The same, and the put comes when the barrier is over, of which its thread does not know.
#define THREADS
#include <pthread.h>

#include "case.h"

static void* put(void* unused) {
  RACY(await(1));
  PUT(1, 0);  // RACE
  MPI_Win_flush(1, window);
  return unused;
}

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  pthread_t thread;
  if (rank == 0) pthread_create(&thread, NULL, put, NULL);
  RIGHT(if (rank == 0) pthread_join(thread, NULL));
  MPI_Barrier(world);
  done(1);
  if (rank == 1) use(memory[0]);  // RACE
  RACY(if (rank == 0) pthread_join(thread, NULL));
  MPI_Win_unlock_all(window);
  close_window();
}
