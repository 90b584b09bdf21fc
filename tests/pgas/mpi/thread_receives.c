// ranks: 2
// A thread receives the message: what it learned is known to the main thread when it has been joined.
#define THREADS
#include <pthread.h>

#include "case.h"

static void* receive(void* unused) {
  hear(0);
  return unused;
}

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) {
    PUT(1, 0);  // RACE
    MPI_Win_flush(1, window);
    tell(1);
  } else {
    pthread_t thread;
    pthread_create(&thread, NULL, receive, NULL);
    RIGHT(pthread_join(thread, NULL));
    use(memory[0]);  // RACE
    RACY(pthread_join(thread, NULL));
  }
  MPI_Win_unlock_all(window);
  close_window();
}
