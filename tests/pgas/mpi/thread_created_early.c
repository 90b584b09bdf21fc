// ranks: 2
// A thread that is made behind the barrier knows what its maker knew; one made before does not, and loads before the barrier.
#define THREADS
#include <pthread.h>

#include "case.h"

static void* load(void* unused) {
  use(memory[0]);  // RACE
  done(1);
  return unused;
}

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  pthread_t thread;
  RACY(if (rank == 1) { pthread_create(&thread, NULL, load, NULL); await(1); });
  if (rank == 0) PUT(1, 0);  // RACE
  MPI_Win_flush_all(window);
  MPI_Barrier(world);
  RIGHT(if (rank == 1) pthread_create(&thread, NULL, load, NULL));
  if (rank == 1) pthread_join(thread, NULL);
  MPI_Win_unlock_all(window);
  close_window();
}
