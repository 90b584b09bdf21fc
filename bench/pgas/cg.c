// Conjugate gradients on a sparse symmetric matrix, as in NPB's CG: rows and vectors are divided
// between the ranks, and each gathers the whole direction vector from the others' windows before
// its product, by MPI_Get within one epoch of MPI_Win_lock_all. The vector is written by its owner
// with plain stores, and MPI_Win_sync with a barrier makes them visible to the gets that follow.
//
// Planted: once, the flush that completes the gets comes after the product that uses them.
#include <math.h>
#include <mpi.h>

#include "workload.h"

enum { kOffsets = 12, kPerRow = 2 * kOffsets + 1, kIterations = 75 };

typedef struct Solver {
  int rank, ranks;
  bool plant;
  long n, begin, rows;  // all rows; mine
  int* column;
  double* value;
  double *x, *r, *q, *p;  // mine; p is in the window
  double* whole;          // everybody's p
  MPI_Win window;
} Solver;

static double sum_of(double mine) {
  double sum = 0;
  MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

// Row i has entries at i + d and i - d for each of some random offsets d; each value belongs to the
// lower end of its pair, so the matrix is symmetric, and the diagonal dominates.
static void make_matrix(Solver* s) {
  long offset[kOffsets];
  uint64_t seed = 3;
  for (int k = 0; k < kOffsets; ++k)
    offset[k] = 1 + (long)(next_random(&seed) % (uint64_t)(s->n / 2));
  for (long i = 0; i < s->rows; ++i) {
    const long row = s->begin + i;
    int* column = s->column + i * kPerRow;
    double* value = s->value + i * kPerRow;
    for (int k = 0; k < kOffsets; ++k) {
      const long up = (row + offset[k]) % s->n, down = (row - offset[k] + s->n) % s->n;
      column[2 * k] = (int)up;
      value[2 * k] = -(double)(mix((uint64_t)(row * kOffsets + k)) >> 40) * 0x1p-24;
      column[2 * k + 1] = (int)down;
      value[2 * k + 1] = -(double)(mix((uint64_t)(down * kOffsets + k)) >> 40) * 0x1p-24;
    }
    column[kPerRow - 1] = (int)row;
    value[kPerRow - 1] = kPerRow;
  }
}

static void gather(Solver* s) {
  MPI_Win_sync(s->window);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_sync(s->window);
  for (int i = 0; i < s->ranks; ++i) {
    const int r = (s->rank + i) % s->ranks;
    const long from = share_begin(s->n, r, s->ranks), to = share_begin(s->n, r + 1, s->ranks);
    MPI_Get(s->whole + from, (int)(to - from), MPI_DOUBLE, r, 0, (int)(to - from), MPI_DOUBLE,
            s->window);  // race
  }
}

static double product(Solver* s) {  // q = A p; and p q
  double mine = 0;
  for (long i = 0; i < s->rows; ++i) {
    const int* column = s->column + i * kPerRow;
    const double* value = s->value + i * kPerRow;
    double sum = 0;
    for (int k = 0; k < kPerRow; ++k) sum += value[k] * s->whole[column[k]];  // race
    s->q[i] = sum;
    mine += sum * s->p[i];
  }
  return mine;
}

static double solve(Solver* s) {
  double mine = 0;
  for (long i = 0; i < s->rows; ++i) {
    s->x[i] = 0;
    s->r[i] = s->p[i] = 1.0 + (double)((s->begin + i) % 7);
    mine += s->r[i] * s->r[i];
  }
  double rho = sum_of(mine);
  for (int iteration = 0; iteration < kIterations; ++iteration) {
    const bool late = s->plant && iteration >= 1;
    gather(s);
    if (!late) MPI_Win_flush_local_all(s->window);
    mine = product(s);
    if (late) MPI_Win_flush_local_all(s->window);
    const double alpha =
        rho / sum_of(mine);  // no rank comes by before all have what they need of p
    mine = 0;
    for (long i = 0; i < s->rows; ++i) {
      s->x[i] += alpha * s->p[i];
      s->r[i] -= alpha * s->q[i];
      mine += s->r[i] * s->r[i];
    }
    const double next = sum_of(mine);
    for (long i = 0; i < s->rows; ++i) s->p[i] = s->r[i] + next / rho * s->p[i];
    rho = next;
  }
  mine = 0;
  for (long i = 0; i < s->rows; ++i) mine += s->x[i];
  return sum_of(mine);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Solver s = {.n = read_size(argc, argv, 400000), .plant = race_is_planted()};
  MPI_Comm_rank(MPI_COMM_WORLD, &s.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &s.ranks);
  s.begin = share_begin(s.n, s.rank, s.ranks);
  s.rows = share_begin(s.n, s.rank + 1, s.ranks) - s.begin;
  s.column = malloc((size_t)s.rows * kPerRow * sizeof(int));
  s.value = malloc((size_t)s.rows * kPerRow * sizeof(double));
  s.x = malloc((size_t)s.rows * sizeof(double));
  s.r = malloc((size_t)s.rows * sizeof(double));
  s.q = malloc((size_t)s.rows * sizeof(double));
  s.whole = malloc((size_t)s.n * sizeof(double));
  MPI_Win_allocate(s.rows * (MPI_Aint)sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD,
                   &s.p, &s.window);
  make_matrix(&s);
  MPI_Win_lock_all(0, s.window);
  const double sum = solve(&s);
  MPI_Win_unlock_all(s.window);
  if (s.rank == 0) print_checksum(sum);
  MPI_Win_free(&s.window);
  free(s.column);
  free(s.value);
  free(s.x);
  free(s.r);
  free(s.q);
  free(s.whole);
  MPI_Finalize();
  return 0;
}
