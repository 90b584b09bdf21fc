// A fast Fourier transform of complex doubles in six steps, as in SPLASH's FFT and NPB's FT:
// transforms of rows that are a thread's own, and between them transposes, where everybody reads
// what everybody else has written. Forward and back again, three times.
#include <cmath>
#include <complex>
#include <utility>
#include <vector>

#include "workload.h"

namespace {

using Complex = std::complex<double>;

constexpr int kRounds = 3;

struct Transform {
  int threads = 0;
  long side = 0;  // side * side points
  std::vector<Complex> data, scratch, original;
  std::vector<Complex> roots;       // exp(2 pi i k / side)
  std::vector<Complex> fine_roots;  // exp(2 pi i k / (side * side)), one per point: the twiddles
  std::vector<double> error;        // per thread
  pthread_barrier_t barrier;
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  long rows = 0;
};

Complex times(Complex a, Complex b) {  // without the checks for infinities
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

void reverse_bits(Complex* row, long n) {
  for (long i = 1, j = 0; i < n; ++i) {
    long bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(row[i], row[j]);
  }
}

void transform_row(const Transform& f, Complex* row, bool inverse) {
  reverse_bits(row, f.side);
  for (long half = 1; half < f.side; half *= 2) {
    const long stride = f.side / (2 * half);
    for (long start = 0; start < f.side; start += 2 * half) {
      for (long k = 0; k < half; ++k) {
        const Complex root = f.roots[k * stride];
        const Complex odd = times(inverse ? std::conj(root) : root, row[start + k + half]);
        const Complex even = row[start + k];
        row[start + k] = even + odd;
        row[start + k + half] = even - odd;
      }
    }
  }
}

// Rows begin..end of `to` become the columns of `from`, in blocks that fit a cache.
void transpose(const Transform& f, const std::vector<Complex>& from, std::vector<Complex>& to,
               long begin, long end) {
  constexpr long kBlock = 16;
  for (long i0 = begin; i0 < end; i0 += kBlock) {
    const long i1 = i0 + kBlock < end ? i0 + kBlock : end;
    for (long j0 = 0; j0 < f.side; j0 += kBlock) {
      const long j1 = j0 + kBlock < f.side ? j0 + kBlock : f.side;
      for (long i = i0; i < i1; ++i) {
        for (long j = j0; j < j1; ++j) to[i * f.side + j] = from[j * f.side + i];
      }
    }
  }
}

void six_steps(Transform& f, long begin, long end, bool inverse) {
  transpose(f, f.data, f.scratch, begin, end);
  pthread_barrier_wait(&f.barrier);
  for (long i = begin; i < end; ++i) {
    Complex* row = &f.scratch[i * f.side];
    transform_row(f, row, inverse);
    for (long j = 0; j < f.side; ++j) {
      const Complex twiddle = f.fine_roots[i * f.side + j];
      row[j] = times(row[j], inverse ? std::conj(twiddle) : twiddle);
    }
  }
  pthread_barrier_wait(&f.barrier);
  transpose(f, f.scratch, f.data, begin, end);
  pthread_barrier_wait(&f.barrier);
  for (long i = begin; i < end; ++i) transform_row(f, &f.data[i * f.side], inverse);
  GUARDED(&f.lock, f.rows += end - begin);
  pthread_barrier_wait(&f.barrier);
  transpose(f, f.data, f.scratch, begin, end);
  pthread_barrier_wait(&f.barrier);
  for (long i = begin * f.side; i < end * f.side; ++i) f.data[i] = f.scratch[i];
  pthread_barrier_wait(&f.barrier);
}

void work(int self, void* argument) {
  Transform& f = *static_cast<Transform*>(argument);
  const long begin = share_begin(f.side, self, f.threads);
  const long end = share_begin(f.side, self + 1, f.threads);
  const double scale = 1.0 / static_cast<double>(f.side * f.side);
  double error = 0;
  for (int round = 0; round < kRounds; ++round) {
    six_steps(f, begin, end, false);
    six_steps(f, begin, end, true);
    for (long i = begin * f.side; i < end * f.side; ++i) {
      f.data[i] *= scale;
      error = std::fmax(error, std::abs(f.data[i] - f.original[i]));
    }
    pthread_barrier_wait(&f.barrier);
  }
  f.error[self] = error;
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments arguments = read_arguments(argc, argv, 10);
  Transform f;
  f.threads = arguments.threads;
  f.side = 1L << arguments.size;
  const long points = f.side * f.side;
  const double turn = 2 * std::acos(-1.0);
  f.roots.resize(f.side);
  for (long k = 0; k < f.side; ++k) {
    f.roots[k] = std::polar(1.0, turn * static_cast<double>(k) / static_cast<double>(f.side));
  }
  f.original.resize(points);
  uint64_t seed = 37;
  for (Complex& value : f.original) value = {next_uniform(&seed), next_uniform(&seed)};
  f.data = f.original;
  f.scratch.resize(points);
  f.fine_roots.resize(points);
  for (long i = 0; i < f.side; ++i) {
    // By products of known roots: a sine per point would cost more than the transform.
    const Complex step =
        std::polar(1.0, turn * static_cast<double>(i) / static_cast<double>(points));
    Complex root = 1.0;
    for (long j = 0; j < f.side; ++j, root = times(root, step)) f.fine_roots[i * f.side + j] = root;
  }
  f.error.resize(f.threads);
  pthread_barrier_init(&f.barrier, nullptr, f.threads);
  run_threads(f.threads, work, &f);
  double error = 0;
  for (double e : f.error) error = std::fmax(error, e);
  if (error > 1e-9) {
    fprintf(stderr, "fft: back again with an error of %g\n", error);
    return 70;
  }
  double sum = static_cast<double>(f.rows);
  for (long i = 0; i < points; i += 97) sum += f.data[i].real();
  return finish(sum, __FILE__);
}
