// ranks: 2
// Another thread than the one that puts and flushes calls the barrier: without a join it says nothing of the put before it.
#define THREADS
#include <pthread.h>

#include "case.h"

static void* put(void* unused) {
  PUT(1, 0);  // RACE
  MPI_Win_flush(1, window);
  done(1);
  return unused;
}

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  pthread_t thread;
  if (rank == 0) {
    pthread_create(&thread, NULL, put, NULL);
    RIGHT(pthread_join(thread, NULL));
    await(1);
  }
  MPI_Barrier(world);
  if (rank == 1) use(memory[0]);  // RACE
  RACY(if (rank == 0) pthread_join(thread, NULL));
  MPI_Win_unlock_all(window);
  close_window();
}
