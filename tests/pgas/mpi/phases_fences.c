// ranks: 3
// Three hundred fences, with puts around a ring and a store in the wrong place in one.
#include "case.h"

static void test(void) {
  open_window();
  for (int i = 0; i < 300; ++i) {
    MPI_Win_fence(0, window);
    PUT((rank + 1) % size, i % COUNT);  // RACE
    if (rank == 1) memory[(i + CASE(i == 200 ? 0 : 1, 1)) % COUNT] = i;  // RACE
  }
  MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
  close_window();
}
