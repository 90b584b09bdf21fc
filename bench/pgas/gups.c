// Random updates of a distributed table, after the paper's "guppie" and HPCC's RandomAccess: each
// rank xors random words of everybody's table. The updates are accumulates of one type and one
// operation, which may overlap, within one epoch of MPI_Win_lock_all; a batch of them is completed
// by MPI_Win_flush_local_all before its origin buffer is filled again.
//
// Planted: the buffer is filled again without that.
#include <mpi.h>

#include "workload.h"

enum { kBatch = 512, kUpdatesPerWord = 4 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const long words = read_size(argc, argv, 200000);  // of one rank
  const bool plant = race_is_planted();
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);

  uint64_t* table;
  MPI_Win window;
  MPI_Win_allocate(words * (MPI_Aint)sizeof(uint64_t), sizeof(uint64_t), MPI_INFO_NULL,
                   MPI_COMM_WORLD, &table, &window);
  for (long i = 0; i < words; ++i) table[i] = (uint64_t)(rank * words + i);
  MPI_Barrier(MPI_COMM_WORLD);

  uint64_t values[kBatch];
  uint64_t seed = (uint64_t)rank + 1;
  const long batches = words * kUpdatesPerWord / kBatch + 1;
  MPI_Win_lock_all(0, window);
  for (long batch = 0; batch < batches; ++batch) {
    for (int i = 0; i < kBatch; ++i) {
      const uint64_t value = next_random(&seed);
      const uint64_t place = value % (uint64_t)(words * ranks);
      values[i] = value;  // race
      MPI_Accumulate(&values[i], 1, MPI_UINT64_T, (int)(place / (uint64_t)words),
                     (MPI_Aint)(place % (uint64_t)words), 1, MPI_UINT64_T, MPI_BXOR,
                     window);  // race
    }
    if (!plant) MPI_Win_flush_local_all(window);
  }
  MPI_Win_unlock_all(window);
  MPI_Barrier(MPI_COMM_WORLD);

  uint64_t mine = 0;
  for (long i = 0; i < words; ++i) mine += mix(table[i]) >> 20;
  uint64_t all = 0;
  MPI_Reduce(&mine, &all, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) print_checksum((double)all);
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
