// A heat equation on a square, five points a cell, with the ranks in a rectangle: after each step
// a rank puts its outer rows and columns (a derived datatype) into the halos of its four neighbours.
// Two grids take turns in one window, so that one fence a step is enough: it completes the puts
// into one grid, and ends all use of the other's halo.
//
// Planted: once, a rank clears its upper halo while its neighbour puts into it.
#include <mpi.h>

#include "workload.h"

enum { kSteps = 400 };

typedef struct Field {
  long rows, columns, stride;
  double* grid[2];  // one after the other, in the window
  long offset[2];   // of each, in the window
  int above, below, left, right;
  bool plant;
  MPI_Datatype column;
  MPI_Win window;
} Field;

// Puts the border of one grid into the neighbours' halos: all ranks have the same shape.
static void put_border(Field* f, int which) {
  const long stride = f->stride, rows = f->rows, columns = f->columns, there = f->offset[which];
  double* u = f->grid[which];
  MPI_Put(u + stride + 1, (int)columns, MPI_DOUBLE, f->above, there + (rows + 1) * stride + 1,
          (int)columns, MPI_DOUBLE, f->window);
  MPI_Put(u + rows * stride + 1, (int)columns, MPI_DOUBLE, f->below, there + 1, (int)columns,
          MPI_DOUBLE, f->window);  // race
  MPI_Put(u + stride + 1, 1, f->column, f->left, there + stride + columns + 1, 1, f->column,
          f->window);
  MPI_Put(u + stride + columns, 1, f->column, f->right, there + stride, 1, f->column, f->window);
  if (f->plant) {
    f->plant = false;
    for (long x = 1; x <= columns; ++x) u[x] = 0;  // race
  }
}

static void step(const Field* f, const double* restrict from, double* restrict to) {
  const long stride = f->stride;
  for (long y = 1; y <= f->rows; ++y) {
    for (long i = y * stride + 1; i <= y * stride + f->columns; ++i) {
      to[i] =
          from[i] * 0.6 + (from[i - 1] + from[i + 1] + from[i - stride] + from[i + stride]) * 0.1;
    }
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const long n = read_size(argc, argv, 1600);
  int ranks, rank, dimensions[2] = {0, 0}, place[2];
  const int periodic[2] = {1, 1};
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Dims_create(ranks, 2, dimensions);
  MPI_Comm square;
  MPI_Cart_create(MPI_COMM_WORLD, 2, dimensions, periodic, 0, &square);
  MPI_Comm_rank(square, &rank);
  MPI_Cart_coords(square, rank, 2, place);

  Field f = {.rows = n / dimensions[0], .columns = n / dimensions[1], .plant = race_is_planted()};
  MPI_Cart_shift(square, 0, 1, &f.above, &f.below);
  MPI_Cart_shift(square, 1, 1, &f.left, &f.right);
  f.stride = f.columns + 2;
  const long cells = f.stride * (f.rows + 2);
  f.offset[1] = cells;
  MPI_Win_allocate(2 * cells * (MPI_Aint)sizeof(double), sizeof(double), MPI_INFO_NULL, square,
                   &f.grid[0], &f.window);
  for (long i = 0; i < 2 * cells; ++i) f.grid[0][i] = 0;
  f.grid[1] = f.grid[0] + cells;
  MPI_Type_vector((int)f.rows, 1, (int)f.stride, MPI_DOUBLE, &f.column);
  MPI_Type_commit(&f.column);
  for (long y = 1; y <= f.rows; ++y) {
    for (long x = 1; x <= f.columns; ++x) {
      const long row = place[0] * f.rows + y, column = place[1] * f.columns + x;
      f.grid[0][y * f.stride + x] = (double)(mix((uint64_t)(row * n + column)) >> 40) * 0x1p-24;
    }
  }
  MPI_Win_fence(MPI_MODE_NOPRECEDE, f.window);
  for (int s = 0; s < kSteps; ++s) {
    put_border(&f, s % 2);
    MPI_Win_fence(0, f.window);
    step(&f, f.grid[s % 2], f.grid[1 - s % 2]);
  }
  MPI_Win_fence(MPI_MODE_NOSUCCEED, f.window);

  double mine = 0, all = 0;
  for (long y = 1; y <= f.rows; ++y) {
    for (long x = 1; x <= f.columns; ++x)
      mine += f.grid[0][y * f.stride + x] * (double)((x + y) % 3);
  }
  MPI_Reduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, 0, square);
  if (rank == 0) print_checksum(all);
  MPI_Win_free(&f.window);
  MPI_Type_free(&f.column);
  MPI_Comm_free(&square);
  MPI_Finalize();
  return 0;
}
