// `rounds N`: N rounds of passive target, without any barrier. In each a rank adds to a word of rank 0's memory and puts to its
// right neighbour's, both under exclusive locks, and stores to its own under its own. What a detector keeps of a round must go without
// anybody waiting for anybody. A round takes a millisecond: what is gathered in a given time is then the same in all runs.
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

enum { kWords = 256 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const long rounds = argc > 1 ? atol(argv[1]) : 1000;
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int right = (rank + 1) % ranks;
  long* memory;
  MPI_Win window;
  MPI_Win_allocate(3 * kWords * (MPI_Aint)sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  for (long i = 0; i < 3 * kWords; ++i) memory[i] = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  for (long round = 0; round < rounds; ++round) {
    const long place = round % kWords;
    long word;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    MPI_Get(&word, 1, MPI_LONG, 0, place, 1, MPI_LONG, window);
    MPI_Win_flush(0, window);
    ++word;
    MPI_Put(&word, 1, MPI_LONG, 0, place, 1, MPI_LONG, window);
    MPI_Win_unlock(0, window);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right, 0, window);
    MPI_Put(&round, 1, MPI_LONG, right, kWords + place, 1, MPI_LONG, window);
    MPI_Win_unlock(right, window);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, window);
    memory[2 * kWords + place] = memory[kWords + place];
    MPI_Win_unlock(rank, window);
    nanosleep(&(const struct timespec){0, 1000000}, NULL);
  }
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
