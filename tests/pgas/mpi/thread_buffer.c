// ranks: 2
// A thread stores into the buffer that another thread's put is sent from.
#define THREADS
#include <pthread.h>

#include "case.h"

static void* store(void* unused) {
  ones[0] = 3;  // RACE
  return unused;
}

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) {
    pthread_t thread;
    PUT(1, 0);  // RACE
    RIGHT(MPI_Win_flush_local(1, window));
    pthread_create(&thread, NULL, store, NULL);
    pthread_join(thread, NULL);
  }
  MPI_Win_unlock_all(window);
  close_window();
}
