// Inner regions join before the outer thread goes on, again and again.
// FLAGS: -fopenmp
#include <omp.h>
#include <stdio.h>

int value[2][2], sum[2];

int main(void) {
  omp_set_max_active_levels(2);
  for (int round = 0; round < 10; ++round) {
#pragma omp parallel num_threads(2)
    {
      int outer = omp_get_thread_num();
#pragma omp parallel num_threads(2)
      {
        value[outer][omp_get_thread_num()] += 1;
#pragma omp barrier
        if (omp_get_thread_num() == 1) value[outer][0] += 1;
      }
      sum[outer] = value[outer][0] + value[outer][1];
#pragma omp barrier
#pragma omp single
      value[0][0] += sum[0] + sum[1] > 0 ? 0 : 1;
    }
  }
  printf("%d\n", sum[0] + sum[1]);
  return sum[0] + sum[1] == 60 ? 0 : 1;
}
