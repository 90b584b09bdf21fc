// Chains of depend clauses: producers, consumers, a diamond, and mutexinoutset.
// FLAGS: -fopenmp
#include <stdio.h>

int a, b, c, total, grid[6][6];

int main(void) {
#pragma omp parallel num_threads(4)
#pragma omp single
  {
    for (int round = 0; round < 10; ++round) {
#pragma omp task depend(out : a)
      a = round;
#pragma omp task depend(in : a) depend(out : b)
      b = a + 1;
#pragma omp task depend(in : a) depend(out : c)
      c = a + 2;
#pragma omp task depend(in : b, c) depend(inout : total)
      total += b + c;
    }
    for (int i = 0; i < 4; ++i) {
#pragma omp task depend(mutexinoutset : total)
      total += 1;
    }
#pragma omp task depend(in : total)
    a = total;
#pragma omp taskwait
    for (int i = 1; i < 6; ++i) {
      for (int j = 1; j < 6; ++j) {
#pragma omp task firstprivate(i, j) depend(in : grid[i - 1][j], grid[i][j - 1]) depend(out : grid[i][j])
        grid[i][j] = grid[i - 1][j] + grid[i][j - 1] + 1;
      }
    }
  }
  printf("%d %d\n", a, grid[5][5]);
  return a == 124 ? 0 : 1;
}
