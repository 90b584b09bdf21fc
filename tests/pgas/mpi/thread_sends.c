// ranks: 2
// A message that a thread sends says nothing of what the main thread does meanwhile.
#define THREADS
#include <pthread.h>

#include "case.h"

static void* send_one(void* unused) {
  tell(0);
  return unused;
}

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 1) {
    pthread_t thread;
    RIGHT(memory[0] = 1);
    pthread_create(&thread, NULL, send_one, NULL);
    RACY(memory[0] = 1);  // RACE
    pthread_join(thread, NULL);
  } else {
    hear(1);
    PUT(1, 0);  // RACE
  }
  MPI_Win_unlock_all(window);
  close_window();
}
