// Loops that wait for exactly the iterations they use, in one and two dimensions.
// FLAGS: -fopenmp
#include <stdio.h>

enum { kSize = 24 };
int a[kSize], grid[kSize][kSize];

int main(void) {
#pragma omp parallel num_threads(4)
  {
#pragma omp for ordered(1) schedule(static, 1)
    for (int i = 1; i < kSize; ++i) {
#pragma omp ordered depend(sink : i - 1)
      a[i] = a[i - 1] + 1;
#pragma omp ordered depend(source)
    }
#pragma omp for ordered(2) schedule(dynamic)
    for (int i = 1; i < kSize; ++i) {
      for (int j = 1; j < kSize; ++j) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
        grid[i][j] = grid[i - 1][j] + grid[i][j - 1] + 1;
#pragma omp ordered depend(source)
      }
    }
  }
  printf("%d %d\n", a[kSize - 1], grid[3][3]);
  return a[kSize - 1] == kSize - 1 ? 0 : 1;
}
