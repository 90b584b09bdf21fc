// Conjugate gradients on a sparse symmetric matrix in compressed rows, as in NPB's CG: a product of
// matrix and vector that gathers from all over the vector, dot products, and vector updates, with
// barriers between. The matrix is read only; the vectors are written by their owner and read by
// everybody in the next phase.
#include <math.h>

#include "workload.h"

enum { kOffDiagonals = 16, kIterations = 30 };

typedef struct Solver {
  int threads;
  int n;
  int* row;  // n + 1
  int* column;
  double* value;
  double *x, *r, *p, *q;
  double* partial;  // one cache line per thread
  pthread_barrier_t barrier;
  pthread_mutex_t lock;
  long products;
} Solver;

static double sum_of(Solver* s, int self, double mine) {
  s->partial[self * 8] = mine;
  pthread_barrier_wait(&s->barrier);
  double sum = 0;
  for (int t = 0; t < s->threads; ++t) sum += s->partial[t * 8];
  pthread_barrier_wait(&s->barrier);
  return sum;
}

static void solve(int self, void* data) {
  Solver* s = (Solver*)data;
  const int begin = (int)share_begin(s->n, self, s->threads);
  const int end = (int)share_begin(s->n, self + 1, s->threads);
  double mine = 0;
  for (int i = begin; i < end; ++i) {
    s->x[i] = 0;
    s->r[i] = s->p[i] = 1.0 + (i % 7);
    mine += s->r[i] * s->r[i];
  }
  double rho = sum_of(s, self, mine);
  for (int iteration = 0; iteration < kIterations; ++iteration) {
    mine = 0;
    for (int i = begin; i < end; ++i) {
      double sum = 0;
      for (int k = s->row[i]; k < s->row[i + 1]; ++k) sum += s->value[k] * s->p[s->column[k]];
      s->q[i] = sum;
      mine += s->p[i] * sum;
    }
    const double alpha = rho / sum_of(s, self, mine);
    mine = 0;
    for (int i = begin; i < end; ++i) {
      s->x[i] += alpha * s->p[i];
      s->r[i] -= alpha * s->q[i];
      mine += s->r[i] * s->r[i];
    }
    const double next = sum_of(s, self, mine);
    const double beta = next / rho;
    rho = next;
    for (int i = begin; i < end; ++i) s->p[i] = s->r[i] + beta * s->p[i];
    GUARDED(&s->lock, s->products += s->row[end] - s->row[begin]);
    pthread_barrier_wait(&s->barrier);
  }
}

// A band matrix with random offsets and decaying values, its rows and columns then shuffled alike:
// symmetric, diagonally dominant, and without locality.
static void make_matrix(Solver* s) {
  const int n = s->n;
  const int per_row = 2 * kOffDiagonals + 1;
  uint64_t seed = 11;
  int* shuffled = (int*)malloc(n * sizeof(int));
  int* position = (int*)malloc(n * sizeof(int));
  for (int i = 0; i < n; ++i) shuffled[i] = i;
  for (int i = n - 1; i > 0; --i) {
    const int j = (int)(next_random(&seed) % (uint64_t)(i + 1));
    const int swap = shuffled[i];
    shuffled[i] = shuffled[j];
    shuffled[j] = swap;
  }
  for (int i = 0; i < n; ++i) position[shuffled[i]] = i;
  int offset[kOffDiagonals];
  double weight[kOffDiagonals];
  for (int k = 0; k < kOffDiagonals; ++k) {
    offset[k] = 1 + (int)(next_random(&seed) % (uint64_t)(n / 2 - 1));
    weight[k] = -1.0 / (k + 1);
  }
  s->row = (int*)malloc((n + 1) * sizeof(int));
  s->column = (int*)malloc((size_t)n * per_row * sizeof(int));
  s->value = (double*)malloc((size_t)n * per_row * sizeof(double));
  int fill = 0;
  for (int i = 0; i < n; ++i) {
    s->row[i] = fill;
    const int source = position[i];
    s->column[fill] = i;
    s->value[fill++] = 7.0;
    for (int k = 0; k < kOffDiagonals; ++k) {
      s->column[fill] = shuffled[(source + offset[k]) % n];
      s->value[fill++] = weight[k];
      s->column[fill] = shuffled[(source + n - offset[k]) % n];
      s->value[fill++] = weight[k];
    }
  }
  s->row[n] = fill;
  free(shuffled);
  free(position);
}

int main(int argc, char** argv) {
  const Arguments arguments = read_arguments(argc, argv, 150000);
  Solver s = {0};
  s.threads = arguments.threads;
  s.n = (int)arguments.size;
  make_matrix(&s);
  double** vectors[] = {&s.x, &s.r, &s.p, &s.q};
  for (int k = 0; k < 4; ++k) *vectors[k] = (double*)malloc(s.n * sizeof(double));
  s.partial = (double*)malloc(s.threads * 8 * sizeof(double));
  pthread_mutex_init(&s.lock, NULL);
  pthread_barrier_init(&s.barrier, NULL, s.threads);
  run_threads(s.threads, solve, &s);
  double norm = 0;
  for (int i = 0; i < s.n; ++i) norm += s.x[i] * s.x[i];
  for (int k = 0; k < 4; ++k) free(*vectors[k]);
  free(s.row);
  free(s.column);
  free(s.value);
  free(s.partial);
  return finish(sqrt(norm) + (double)s.products, __FILE__);
}
