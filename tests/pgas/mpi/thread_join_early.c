// ranks: 2
// A thread stores into window memory before the barrier, which speaks for it only if it was joined.
#define THREADS
#include <pthread.h>

#include "case.h"

static void* store(void* unused) {
  memory[0] = 1;  // RACE
  done(1);
  return unused;
}

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  pthread_t thread;
  if (rank == 1) {
    pthread_create(&thread, NULL, store, NULL);
    RIGHT(pthread_join(thread, NULL));
    await(1);
  }
  MPI_Barrier(world);
  if (rank == 0) PUT(1, 0);  // RACE
  RACY(if (rank == 1) pthread_join(thread, NULL));
  MPI_Win_unlock_all(window);
  close_window();
}
