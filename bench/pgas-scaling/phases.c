// `phases N`: N phases, in each a put to the right, an accumulate to rank 0, a get from the left and a store of its own, all
// to other places than in the phase before. What a detector keeps of a phase must go with it. A phase takes a millisecond: what is
// gathered in a given time, before it is checked, is then the same in all runs.
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

enum { kWords = 4096 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const long phases = argc > 1 ? atol(argv[1]) : 1000;
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  long* memory;
  MPI_Win window;
  MPI_Win_allocate(4 * kWords * (MPI_Aint)sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  for (long i = 0; i < 4 * kWords; ++i) memory[i] = 0;
  MPI_Win_fence(0, window);
  for (long phase = 0; phase < phases; ++phase) {
    const long place = phase % kWords, one = 1;
    long got;
    MPI_Put(&phase, 1, MPI_LONG, right, place, 1, MPI_LONG, window);
    MPI_Accumulate(&one, 1, MPI_LONG, 0, kWords + place, 1, MPI_LONG, MPI_SUM, window);
    MPI_Get(&got, 1, MPI_LONG, left, 2 * kWords + place, 1, MPI_LONG, window);
    memory[3 * kWords + place] = phase;
    nanosleep(&(const struct timespec){0, 1000000}, NULL);
    MPI_Win_fence(0, window);
  }
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
