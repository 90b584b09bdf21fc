// ranks: 2
// The thread stores when the barrier is over, of which it does not know.
#define THREADS
#include <pthread.h>

#include "case.h"

static void* store(void* unused) {
  RACY(await(1));
  memory[0] = 1;  // RACE
  return unused;
}

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  pthread_t thread;
  if (rank == 1) pthread_create(&thread, NULL, store, NULL);
  RIGHT(if (rank == 1) pthread_join(thread, NULL));
  MPI_Barrier(world);
  if (rank == 0) PUT(1, 0);  // RACE
  done(1);
  RACY(if (rank == 1) pthread_join(thread, NULL));
  MPI_Win_unlock_all(window);
  close_window();
}
