// ranks: 2
// The same, and the thread made early loads when the barrier is over, of which it does not know.
#define THREADS
#include <pthread.h>

#include "case.h"

static void* load(void* unused) {
  await(1);
  use(memory[0]);  // RACE
  return unused;
}

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  pthread_t thread;
  RACY(if (rank == 1) pthread_create(&thread, NULL, load, NULL));
  if (rank == 0) PUT(1, 0);  // RACE
  MPI_Win_flush_all(window);
  MPI_Barrier(world);
  RIGHT(if (rank == 1) pthread_create(&thread, NULL, load, NULL));
  done(1);
  if (rank == 1) pthread_join(thread, NULL);
  MPI_Win_unlock_all(window);
  close_window();
}
