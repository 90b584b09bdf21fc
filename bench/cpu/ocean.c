// Currents in a square basin, as in SPLASH's ocean: a dozen grids of doubles as arrays of rows,
// differential operators over them, and red-black relaxation with overrelaxation. Threads own bands
// of rows, read their neighbours' edges, and meet at a barrier after each half sweep.
#include <math.h>

#include "workload.h"

enum { kSteps = 12, kSweeps = 4, kGrids = 8 };

typedef double** Grid;

typedef struct Ocean {
  int threads;
  int n;  // with the shore
  Grid stream, vorticity, next, jacobian, laplace, friction, wind, depth;
  double* change;  // per thread, a cache line apart
  pthread_barrier_t barrier;
  pthread_mutex_t lock;
  long updates;
} Ocean;

static Grid make_grid(int n) {
  Grid grid = (Grid)malloc(n * sizeof(double*));
  double* data = (double*)calloc((size_t)n * n, sizeof(double));
  for (int i = 0; i < n; ++i) grid[i] = data + (size_t)i * n;
  return grid;
}

static void free_grid(Grid grid) {
  free(grid[0]);
  free(grid);
}

static void take_laplacian(Grid from, Grid to, int begin, int end, int n) {
  for (int i = begin; i < end; ++i) {
    for (int j = 1; j < n - 1; ++j) {
      to[i][j] =
          from[i - 1][j] + from[i + 1][j] + from[i][j - 1] + from[i][j + 1] - 4.0 * from[i][j];
    }
  }
}

// Advection, by Arakawa's scheme without its diagonal terms.
static void take_jacobian(Grid a, Grid b, Grid to, int begin, int end, int n) {
  for (int i = begin; i < end; ++i) {
    for (int j = 1; j < n - 1; ++j) {
      to[i][j] = 0.25 * ((a[i][j + 1] - a[i][j - 1]) * (b[i + 1][j] - b[i - 1][j]) -
                         (a[i + 1][j] - a[i - 1][j]) * (b[i][j + 1] - b[i][j - 1]));
    }
  }
}

static void step_vorticity(Ocean* o, int begin, int end) {
  for (int i = begin; i < end; ++i) {
    for (int j = 1; j < o->n - 1; ++j) {
      const double drag = o->friction[i][j] * o->vorticity[i][j] / o->depth[i][j];
      o->next[i][j] = o->vorticity[i][j] +
                      0.1 * (o->wind[i][j] - o->jacobian[i][j] - drag + 0.05 * o->laplace[i][j]);
    }
  }
}

// One colour of one sweep towards laplacian(stream) = vorticity.
static double relax(Ocean* o, int begin, int end, int colour) {
  double largest = 0;
  for (int i = begin; i < end; ++i) {
    for (int j = 1 + (i + colour) % 2; j < o->n - 1; j += 2) {
      const double wanted = 0.25 * (o->stream[i - 1][j] + o->stream[i + 1][j] +
                                    o->stream[i][j - 1] + o->stream[i][j + 1] - o->next[i][j]);
      const double change = 1.2 * (wanted - o->stream[i][j]);
      o->stream[i][j] += change;
      if (fabs(change) > largest) largest = fabs(change);
    }
  }
  return largest;
}

static void work(int self, void* data) {
  Ocean* o = (Ocean*)data;
  const int begin = 1 + (int)share_begin(o->n - 2, self, o->threads);
  const int end = 1 + (int)share_begin(o->n - 2, self + 1, o->threads);
  for (int step = 0; step < kSteps; ++step) {
    take_laplacian(o->vorticity, o->laplace, begin, end, o->n);
    take_jacobian(o->stream, o->vorticity, o->jacobian, begin, end, o->n);
    pthread_barrier_wait(&o->barrier);
    step_vorticity(o, begin, end);
    pthread_barrier_wait(&o->barrier);
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      for (int colour = 0; colour < 2; ++colour) {
        const double change = relax(o, begin, end, colour);
        if (change > o->change[self * 8]) o->change[self * 8] = change;
        GUARDED(&o->lock, o->updates += end - begin);
        pthread_barrier_wait(&o->barrier);
      }
    }
    for (int i = begin; i < end; ++i) {
      memcpy(o->vorticity[i], o->next[i], o->n * sizeof(double));
    }
    pthread_barrier_wait(&o->barrier);
  }
}

int main(int argc, char** argv) {
  const Arguments arguments = read_arguments(argc, argv, 1026);
  Ocean o = {0};
  o.threads = arguments.threads;
  o.n = (int)arguments.size;
  Grid* grids[kGrids] = {&o.stream,  &o.vorticity, &o.next, &o.jacobian,
                         &o.laplace, &o.friction,  &o.wind, &o.depth};
  for (int g = 0; g < kGrids; ++g) *grids[g] = make_grid(o.n);
  uint64_t seed = 41;
  for (int i = 0; i < o.n; ++i) {
    for (int j = 0; j < o.n; ++j) {
      o.wind[i][j] = sin(6.28 * i / o.n) * 0.01;
      o.friction[i][j] = 0.05;
      o.depth[i][j] = 1.0 + next_uniform(&seed);
      o.vorticity[i][j] = next_uniform(&seed) - 0.5;
    }
  }
  o.change = (double*)calloc(o.threads * 8, sizeof(double));
  pthread_mutex_init(&o.lock, NULL);
  pthread_barrier_init(&o.barrier, NULL, o.threads);
  run_threads(o.threads, work, &o);
  double sum = (double)o.updates;
  for (int t = 0; t < o.threads; ++t) sum = fmax(sum, o.change[t * 8]);
  for (int i = 0; i < o.n; i += 3) sum += o.stream[i][i] * 1e3;
  for (int g = 0; g < kGrids; ++g) free_grid(*grids[g]);
  free(o.change);
  return finish(sum, __FILE__);
}
