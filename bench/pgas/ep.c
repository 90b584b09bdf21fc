// Pairs of normal random numbers, as in NPB's EP: all of the work is private to a rank, and what it
// counted is added to the totals of rank 0 at the end, block by block, by MPI_Raccumulate. The
// wait for its request completes it at the origin only; MPI_Win_flush does at the target.
//
// Planted: the flush is missing, so that the last counts may arrive while rank 0 reads the totals.
#include <math.h>
#include <mpi.h>

#include "workload.h"

enum { kAnnuli = 10, kBlock = 1 << 16 };

typedef struct Counts {
  int64_t annulus[kAnnuli];
  int64_t
      sum[2];  // of x and y, in units of 2^-20: sums of whole numbers do not depend on their order
} Counts;

static void count_block(uint64_t seed, double* pairs, Counts* counts) {
  for (long i = 0; i < 2 * kBlock; ++i) pairs[i] = 2 * next_uniform(&seed) - 1;
  for (long i = 0; i < kBlock; ++i) {
    const double a = pairs[2 * i], b = pairs[2 * i + 1];
    const double t = a * a + b * b;
    if (t > 1 || t == 0) continue;
    const double scale = sqrt(-2 * log(t) / t);
    const double x = a * scale, y = b * scale;
    const int annulus = (int)fmax(fabs(x), fabs(y));
    counts->annulus[annulus < kAnnuli ? annulus : kAnnuli - 1] += 1;
    counts->sum[0] += (int64_t)(x * 0x1p20);
    counts->sum[1] += (int64_t)(y * 0x1p20);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const long blocks = read_size(argc, argv, 1200);
  const bool plant = race_is_planted();
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);

  const int numbers = sizeof(Counts) / sizeof(int64_t);
  Counts* totals = calloc(1, sizeof(Counts));
  MPI_Win window;
  MPI_Win_create(totals, rank == 0 ? sizeof(Counts) : 0, sizeof(int64_t), MPI_INFO_NULL,
                 MPI_COMM_WORLD, &window);
  double* pairs = malloc(2 * kBlock * sizeof(double));
  MPI_Win_lock_all(0, window);
  for (long block = rank; block < blocks; block += ranks) {
    Counts mine;
    memset(&mine, 0, sizeof mine);
    count_block(mix((uint64_t)block + 1), pairs, &mine);
    MPI_Request request;
    MPI_Raccumulate(&mine, numbers, MPI_INT64_T, 0, 0, numbers, MPI_INT64_T, MPI_SUM, window,
                    &request);  // race
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (!plant) MPI_Win_flush(0, window);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    MPI_Win_sync(window);
    double checksum = 0;
    const int64_t* total = (const int64_t*)totals;
    for (int i = 0; i < numbers; ++i) checksum += (double)total[i] / (i + 1);  // race
    print_checksum(checksum);
  }
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  free(totals);
  free(pairs);
  MPI_Finalize();
  return 0;
}
