// Tasks of one group reduce into private copies of their threads.
// FLAGS: -fopenmp
#include <stdio.h>

int main(void) {
  long sum = 0;
  double list[40] = {0};
#pragma omp parallel num_threads(4)
#pragma omp single
  {
#pragma omp taskgroup task_reduction(+ : sum) task_reduction(+ : list)
    {
      for (int i = 0; i < 100; ++i) {
#pragma omp task in_reduction(+ : sum) in_reduction(+ : list) firstprivate(i)
        {
          sum += i;
          list[i % 40] += 1;
        }
      }
    }
#pragma omp taskloop reduction(+ : sum) num_tasks(16)
    for (int i = 0; i < 100; ++i) sum += i;
  }
  printf("%ld %g\n", sum, list[0]);
  return sum == 9900 && list[0] == 3 ? 0 : 1;
}
