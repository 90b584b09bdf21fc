// The end of a taskgroup waits for all descendants.
// FLAGS: -fopenmp
#include <stdio.h>

int value[16];

int main(void) {
  int sum = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
  {
#pragma omp taskgroup
    {
      for (int i = 0; i < 4; ++i) {
#pragma omp task firstprivate(i)
        for (int j = 0; j < 4; ++j) {
#pragma omp task firstprivate(i, j)
          value[i * 4 + j] = i + j;
        }
      }
    }
    for (int i = 0; i < 16; ++i) sum += value[i];
  }
  printf("%d\n", sum);
  return sum == 48 ? 0 : 1;
}
