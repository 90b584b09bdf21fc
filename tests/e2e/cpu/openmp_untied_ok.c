// Untied tasks keep their own order wherever they go on.
// FLAGS: -fopenmp
#include <stdio.h>

int value[32], sum;

int main(void) {
#pragma omp parallel num_threads(4)
#pragma omp single
  {
    for (int i = 0; i < 32; ++i) {
#pragma omp task untied firstprivate(i)
      {
        value[i] = i;
#pragma omp taskyield
        value[i] += 1;
#pragma omp task shared(value) firstprivate(i)
        value[i] += 1;
#pragma omp taskwait
        value[i] += 1;
      }
    }
#pragma omp taskwait
    for (int i = 0; i < 32; ++i) sum += value[i];
  }
  printf("%d\n", sum);
  return sum == 31 * 16 + 96 ? 0 : 1;
}
