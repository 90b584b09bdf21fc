// Plain parallel loops of every schedule, one after the other, over the same array.
// FLAGS: -fopenmp
#include <stdio.h>

enum { kSize = 200 };
int a[kSize];

int main(void) {
#pragma omp parallel for num_threads(4)
  for (int i = 0; i < kSize; ++i) a[i] = i;
#pragma omp parallel for num_threads(3) schedule(dynamic, 7)
  for (int i = 0; i < kSize; ++i) a[i] += 1;
#pragma omp parallel for num_threads(4) schedule(guided)
  for (int i = 0; i < kSize; ++i) a[i] += 1;
#pragma omp parallel for num_threads(2) schedule(runtime)
  for (int i = 0; i < kSize; ++i) a[i] += 1;
#pragma omp parallel for num_threads(4) schedule(static, 5)
  for (unsigned long long i = 0; i < kSize; ++i) a[i] += 1;
#pragma omp parallel for num_threads(4) collapse(2)
  for (int i = 0; i < 10; ++i) {
    for (int j = 0; j < 20; ++j) a[i * 20 + j] += 1;
  }
  long sum = 0;
  for (int i = 0; i < kSize; ++i) sum += a[i];
  printf("%ld\n", sum);
  return sum == kSize * (kSize - 1) / 2 + 5 * kSize ? 0 : 1;
}
