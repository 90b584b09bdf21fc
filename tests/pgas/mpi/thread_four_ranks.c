// ranks: 4
// Each rank's thread sends in a ring and each main thread waits for its own: order goes round over threads.
#define THREADS
#include <pthread.h>

#include "case.h"

static void* pass_on(void* unused) {
  if (rank != 0) hear(rank - 1);
  if (rank != 3) tell(rank + 1);
  return unused;
}

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) PUT(3, 0);  // RACE
  MPI_Win_flush_all(window);
  pthread_t thread;
  pthread_create(&thread, NULL, pass_on, NULL);
  RIGHT(pthread_join(thread, NULL));
  if (rank == 3) use(memory[0]);  // RACE
  RACY(pthread_join(thread, NULL));
  MPI_Win_unlock_all(window);
  close_window();
}
