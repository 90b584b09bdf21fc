// ranks: 2
// Under a mutex the main thread sees that the other has stored: then the barrier speaks for it.
#define THREADS
#include <pthread.h>

#include "case.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int stored;

static void* store(void* unused) {
  RIGHT(memory[0] = 1);
  pthread_mutex_lock(&mutex);
  stored = 1;
  pthread_mutex_unlock(&mutex);
  RACY(memory[0] = 1);  // RACE
  return unused;
}

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  pthread_t thread;
  if (rank == 1) {
    pthread_create(&thread, NULL, store, NULL);
    for (int seen = 0; !seen; sched_yield()) {
      pthread_mutex_lock(&mutex);
      seen = stored;
      pthread_mutex_unlock(&mutex);
    }
  }
  MPI_Barrier(world);
  if (rank == 0) PUT(1, 0);  // RACE
  if (rank == 1) pthread_join(thread, NULL);
  MPI_Win_unlock_all(window);
  close_window();
}
