// ranks: 2
// Two threads of one rank put to one place.
#define THREADS
#include <pthread.h>

#include "case.h"

static void* put(void* place) {
  PUT(1, *(int*)place);  // RACE RACE
  MPI_Win_flush(1, window);
  return NULL;
}

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) {
    pthread_t threads[2];
    int places[2] = {5, CASE(5, 6)};
    for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, put, &places[i]);
    for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  }
  MPI_Win_unlock_all(window);
  close_window();
}
