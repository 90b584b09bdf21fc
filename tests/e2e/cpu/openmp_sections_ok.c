// Sections write different variables; the code after the construct reads both.
// FLAGS: -fopenmp
#include <omp.h>
#include <stdio.h>

int left, right, sum[2];

int main(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp sections
    {
#pragma omp section
      left = 1;
#pragma omp section
      right = 2;
    }
    sum[omp_get_thread_num()] = left + right;
  }
  printf("%d %d\n", sum[0], sum[1]);
  return 0;
}
