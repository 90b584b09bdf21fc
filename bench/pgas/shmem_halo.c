// A heat equation as in halo.c, with OpenSHMEM: the square is divided into bands, and after each step
// a PE puts its outer rows into the halos of its two neighbours. Two grids take turns, so that one
// barrier a step is enough: it completes the puts into one grid, and ends all use of the other.
//
// Planted: once, shmem_sync_all, which completes no puts, stands for the barrier.
#include <shmem.h>

#include "workload.h"

enum { kSteps = 200 };

static double sum_of_mine;  // symmetric

static void step(const double* restrict from, double* restrict to, long rows, long columns) {
  const long stride = columns + 2;
  for (long y = 1; y <= rows; ++y) {
    for (long i = y * stride + 1; i <= y * stride + columns; ++i) {
      const double beside =
          from[i - 1] + from[i + 1] + from[i - stride] + from[i + stride];  // race
      to[i] = from[i] * 0.6 + beside * 0.1;
    }
  }
}

int main(int argc, char** argv) {
  shmem_init();
  const long n = read_size(argc, argv, 1600);
  const bool plant = race_is_planted();
  const int me = shmem_my_pe(), pes = shmem_n_pes();
  const int above = (me + pes - 1) % pes, below = (me + 1) % pes;
  const long rows = n / pes, stride = n + 2;
  const size_t cells = (size_t)(stride * (rows + 2));
  double* grid[2] = {shmem_calloc(cells, sizeof(double)), shmem_calloc(cells, sizeof(double))};
  for (long y = 1; y <= rows; ++y) {
    for (long x = 1; x <= n; ++x)
      grid[0][y * stride + x] = (double)(mix((uint64_t)((me * rows + y) * n + x)) >> 40) * 0x1p-24;
  }
  shmem_barrier_all();
  for (int s = 0; s < kSteps; ++s) {
    double* u = grid[s % 2];
    shmem_double_put(u + (rows + 1) * stride, u + stride, (size_t)stride, above);  // race
    shmem_double_put(u, u + rows * stride, (size_t)stride, below);                 // race
    if (plant && s == 1) {
      shmem_sync_all();
    } else {
      shmem_barrier_all();
    }
    step(u, grid[1 - s % 2], rows, n);
  }
  for (long y = 1; y <= rows; ++y) {
    for (long x = 1; x <= n; ++x) sum_of_mine += grid[0][y * stride + x] * (double)((x + y) % 3);
  }
  shmem_barrier_all();
  if (me == 0) {
    double all = 0;
    for (int pe = 0; pe < pes; ++pe) all += shmem_double_g(&sum_of_mine, pe);
    print_checksum(all);
  }
  shmem_barrier_all();
  shmem_free(grid[1]);
  shmem_free(grid[0]);
  shmem_finalize();
  return 0;
}
