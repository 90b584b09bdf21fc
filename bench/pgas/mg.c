// V-cycles of multigrid on a cube, as in NPB's MG: planes are divided between the ranks, and before
// each sweep a rank puts its outer planes into its neighbours' halos, with general active target
// synchronisation (post, start, complete, wait) between the two of each border only.
//
// Planted: once, the halo is read between MPI_Win_post and MPI_Win_wait.
#include <math.h>
#include <mpi.h>

#include "workload.h"

enum { kCycles = 16, kSweeps = 3, kLevels = 12 };

// One grid: cubes of n cells a side with a halo of one cell, of which this rank has some planes.
typedef struct Grid {
  long n, planes, side;  // side: n + 2
  double *u, *f, *t;     // solution (in the window), right hand side, scratch
  MPI_Win window;
} Grid;

typedef struct Solver {
  int rank, ranks, levels;
  bool plant;
  MPI_Group both;  // my neighbours
  Grid grid[kLevels];
} Solver;

static double early;  // what the planted race reads; printed, so that it is not left out

static void exchange(Solver* s, Grid* g) {
  const long plane = g->side * g->side;
  MPI_Win_post(s->both, 0, g->window);
  MPI_Win_start(s->both, 0, g->window);
  if (s->rank > 0) {
    MPI_Put(g->u + plane, (int)plane, MPI_DOUBLE, s->rank - 1, (g->planes + 1) * plane, (int)plane,
            MPI_DOUBLE, g->window);
  }
  if (s->rank + 1 < s->ranks) {
    MPI_Put(g->u + g->planes * plane, (int)plane, MPI_DOUBLE, s->rank + 1, 0, (int)plane,
            MPI_DOUBLE, g->window);  // race
  }
  MPI_Win_complete(g->window);
  if (s->plant) {
    s->plant = false;
    for (long i = 0; i < plane; ++i) early += g->u[i];  // race
  }
  MPI_Win_wait(g->window);
}

// The residual times -1, plus 6 u: what the sweep and the residual have in common.
static inline double neighbours(const Grid* g, const double* u) {
  const long plane = g->side * g->side;
  return u[-1] + u[1] + u[-g->side] + u[g->side] + u[-plane] + u[plane];
}

static void sweep(Solver* s, Grid* g) {  // damped Jacobi
  exchange(s, g);
  for (long z = 1; z <= g->planes; ++z) {
    for (long y = 1; y <= g->n; ++y) {
      const long row = (z * g->side + y) * g->side;
      for (long i = row + 1; i <= row + g->n; ++i) {
        g->t[i] = g->u[i] / 3 + (neighbours(g, g->u + i) + g->f[i]) / 9;
      }
    }
  }
  for (long z = 1; z <= g->planes; ++z) {
    for (long y = 1; y <= g->n; ++y) {
      const long row = (z * g->side + y) * g->side;
      for (long i = row + 1; i <= row + g->n; ++i) g->u[i] = g->t[i];
    }
  }
}

// The residual into t; the sum of its squares.
static double residual(Solver* s, Grid* g) {
  exchange(s, g);
  double sum = 0;
  for (long z = 1; z <= g->planes; ++z) {
    for (long y = 1; y <= g->n; ++y) {
      const long row = (z * g->side + y) * g->side;
      for (long i = row + 1; i <= row + g->n; ++i) {
        g->t[i] = g->f[i] + neighbours(g, g->u + i) - 6 * g->u[i];
        sum += g->t[i] * g->t[i];
      }
    }
  }
  return sum;
}

// The eight fine cells of a coarse one: 1 << corner is set where it lies further along an axis.
static long fine_cell(const Grid* fine, long x, long y, long z, int corner) {
  return ((2 * z - 1 + (corner >> 2)) * fine->side + 2 * y - 1 + (corner >> 1 & 1)) * fine->side +
         2 * x - 1 + (corner & 1);
}

static void cycle(Solver* s, int level) {
  Grid* g = &s->grid[level];
  for (int i = 0; i < kSweeps; ++i) sweep(s, g);
  if (level + 1 == s->levels) {
    for (int i = 0; i < 4 * kSweeps; ++i) sweep(s, g);
    return;
  }
  residual(s, g);
  Grid* c = &s->grid[level + 1];
  for (long z = 1; z <= c->planes; ++z) {
    for (long y = 1; y <= c->n; ++y) {
      for (long x = 1; x <= c->n; ++x) {
        double sum = 0;
        for (int corner = 0; corner < 8; ++corner) sum += g->t[fine_cell(g, x, y, z, corner)];
        c->f[(z * c->side + y) * c->side + x] = sum / 2;
        c->u[(z * c->side + y) * c->side + x] = 0;
      }
    }
  }
  cycle(s, level + 1);
  for (long z = 1; z <= c->planes; ++z) {
    for (long y = 1; y <= c->n; ++y) {
      for (long x = 1; x <= c->n; ++x) {
        const double add = c->u[(z * c->side + y) * c->side + x];
        for (int corner = 0; corner < 8; ++corner) g->u[fine_cell(g, x, y, z, corner)] += add / 2;
      }
    }
  }
  for (int i = 0; i < kSweeps; ++i) sweep(s, g);
}

static void make_grids(Solver* s, long n) {
  for (; s->levels < kLevels && n % (2 * s->ranks) == 0; n /= 2) {
    Grid* g = &s->grid[s->levels++];
    g->n = n;
    g->planes = n / s->ranks;
    g->side = n + 2;
    const size_t cells = (size_t)(g->side * g->side * (g->planes + 2));
    g->f = calloc(cells, sizeof(double));
    g->t = calloc(cells, sizeof(double));
    MPI_Win_allocate((MPI_Aint)(cells * sizeof(double)), sizeof(double), MPI_INFO_NULL,
                     MPI_COMM_WORLD, &g->u, &g->window);
    for (size_t i = 0; i < cells; ++i) g->u[i] = 0;
  }
  if (s->levels == 0) {
    fprintf(stderr, "SIZE must be a multiple of twice the number of ranks\n");
    exit(2);
  }
}

static void make_groups(Solver* s) {
  MPI_Group world;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  int neighbour[2], count = 0;
  if (s->rank > 0) neighbour[count++] = s->rank - 1;
  if (s->rank + 1 < s->ranks) neighbour[count++] = s->rank + 1;
  MPI_Group_incl(world, count, neighbour, &s->both);
  MPI_Group_free(&world);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Solver s = {.plant = race_is_planted()};
  const long n = read_size(argc, argv, 128);
  MPI_Comm_rank(MPI_COMM_WORLD, &s.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &s.ranks);
  make_grids(&s, n);
  make_groups(&s);
  Grid* g = &s.grid[0];
  for (int i = 0; i < 20;
       ++i) {  // charges of both signs, at random places; each rank keeps its own
    const long x = (long)(mix((uint64_t)i + 1) % (uint64_t)n),
               y = (long)(mix((uint64_t)i + 100) % (uint64_t)n);
    const long z = (long)(mix((uint64_t)i + 200) % (uint64_t)n) - s.rank * g->planes;
    if (z >= 0 && z < g->planes)
      g->f[((z + 1) * g->side + y + 1) * g->side + x + 1] = i % 2 ? 1 : -1;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < kCycles; ++i) cycle(&s, 0);
  double mine = residual(&s, g), all = 0;
  MPI_Reduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (s.rank == 0) print_checksum(sqrt(all));
  if (early != 0) printf("read too early: %g\n", early);
  for (int i = 0; i < s.levels; ++i) {
    MPI_Win_free(&s.grid[i].window);
    free(s.grid[i].f);
    free(s.grid[i].t);
  }
  MPI_Group_free(&s.both);
  MPI_Finalize();
  return 0;
}
