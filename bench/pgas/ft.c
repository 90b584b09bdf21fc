// Fourier transforms in two dimensions, as in NPB's FT: each rank transforms its rows, and a
// transposition, in which everybody puts a block to everybody between two fences, makes columns
// rows. A spectrum is evolved in steps, and each step transformed back.
//
// Planted: once, a barrier stands where the transposition's closing fence should be.
#include <complex.h>
#include <math.h>
#include <mpi.h>

#include "workload.h"

enum { kSteps = 20 };

typedef double complex Complex;

typedef struct Transform {
  int rank, ranks;
  bool plant;
  long n, rows;
  Complex* root;      // n-th roots of one
  Complex* packed;    // what is put: a block for each rank
  Complex* received;  // in the window: a block of each rank
  MPI_Win window;
} Transform;

static void fft_row(const Transform* t, Complex* a, bool inverse) {
  const long n = t->n;
  for (long i = 1, j = 0; i < n; ++i) {
    long bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) {
      const Complex swap = a[i];
      a[i] = a[j];
      a[j] = swap;
    }
  }
  for (long half = 1; half < n; half *= 2) {
    const long stride = n / (2 * half);
    for (long begin = 0; begin < n; begin += 2 * half) {
      for (long k = 0; k < half; ++k) {
        const Complex root = inverse ? conj(t->root[k * stride]) : t->root[k * stride];
        const double re =
            creal(root) * creal(a[begin + half + k]) - cimag(root) * cimag(a[begin + half + k]);
        const double im =
            creal(root) * cimag(a[begin + half + k]) + cimag(root) * creal(a[begin + half + k]);
        const Complex odd = re + im * I, even = a[begin + k];
        a[begin + k] = even + odd;
        a[begin + half + k] = even - odd;
      }
    }
  }
}

static void transpose(Transform* t, Complex* a) {
  const long n = t->n, rows = t->rows, block = rows * rows;
  const bool late = t->plant;
  t->plant = false;
  MPI_Win_fence(MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE, t->window);
  for (int r = 0; r < t->ranks; ++r) {
    for (long i = 0; i < rows; ++i) {
      for (long j = 0; j < rows; ++j) t->packed[r * block + j * rows + i] = a[i * n + r * rows + j];
    }
    MPI_Put(t->packed + r * block, (int)block, MPI_C_DOUBLE_COMPLEX, r, t->rank * block, (int)block,
            MPI_C_DOUBLE_COMPLEX, t->window);  // race
  }
  if (late) {
    MPI_Barrier(MPI_COMM_WORLD);
  } else {
    MPI_Win_fence(MPI_MODE_NOSUCCEED, t->window);
  }
  for (int r = 0; r < t->ranks; ++r) {
    for (long i = 0; i < rows; ++i) {
      for (long j = 0; j < rows; ++j)
        a[i * n + r * rows + j] = t->received[r * block + i * rows + j];  // race
    }
  }
  if (late) MPI_Win_fence(MPI_MODE_NOSUCCEED, t->window);
}

static void fft(Transform* t, Complex* a, bool inverse) {
  for (long i = 0; i < t->rows; ++i) fft_row(t, a + i * t->n, inverse);
  transpose(t, a);
  for (long i = 0; i < t->rows; ++i) fft_row(t, a + i * t->n, inverse);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Transform t = {.n = 1L << read_size(argc, argv, 10), .plant = race_is_planted()};
  MPI_Comm_rank(MPI_COMM_WORLD, &t.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &t.ranks);
  if (t.n % t.ranks != 0) {
    fprintf(stderr, "the number of ranks must divide 2^SIZE\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  t.rows = t.n / t.ranks;
  const long cells = t.n * t.rows;
  t.root = malloc((size_t)t.n * sizeof(Complex));
  t.packed = malloc((size_t)cells * sizeof(Complex));
  Complex* spectrum = malloc((size_t)cells * sizeof(Complex));
  Complex* field = malloc((size_t)cells * sizeof(Complex));
  MPI_Win_allocate(cells * (MPI_Aint)sizeof(Complex), sizeof(Complex), MPI_INFO_NULL,
                   MPI_COMM_WORLD, &t.received, &t.window);
  const double turn = 2 * acos(-1.0) / (double)t.n;
  for (long i = 0; i < t.n; ++i) t.root[i] = cexp(-turn * (double)i * I);
  uint64_t seed = (uint64_t)t.rank + 5;
  for (long i = 0; i < cells; ++i) spectrum[i] = next_uniform(&seed) - 0.5;

  fft(&t, spectrum, false);
  double sum = 0;
  for (int step = 1; step <= kSteps; ++step) {
    for (long i = 0; i < cells; ++i) {
      const double x = (double)(i % t.n) / (double)t.n,
                   y = (double)(t.rank * t.rows + i / t.n) / (double)t.n;
      field[i] = spectrum[i] * (1 / (1 + step * (x * x + y * y)));
    }
    fft(&t, field, true);
    for (long i = 0; i < cells; i += 17) sum += creal(field[i]) / (double)cells;
  }
  double all = 0;
  MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (t.rank == 0) print_checksum(all);
  MPI_Win_free(&t.window);
  free(t.root);
  free(t.packed);
  free(spectrum);
  free(field);
  MPI_Finalize();
  return 0;
}
