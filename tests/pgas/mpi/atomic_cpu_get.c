// ranks: 2
// A get and an atomic load both read: no race; with an atomic update there is one.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) GET(1, 3);  // RACE
  if (rank == 1) use(CASE(__atomic_fetch_add(&memory[3], 1, __ATOMIC_RELAXED), __atomic_load_n(&memory[3], __ATOMIC_ACQUIRE)));  // RACE
  MPI_Win_unlock_all(window);
  close_window();
}
