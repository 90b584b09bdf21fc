// Tasks of one reduction are not ordered by it, even where they share a thread's private copy.
// FLAGS: -fopenmp
#include <stdio.h>

int sum, last;

int main(void) {
#pragma omp parallel num_threads(4)
#pragma omp single
  {
#pragma omp taskgroup task_reduction(+ : sum)
    {
      for (int i = 0; i < 8; ++i) {
#pragma omp task in_reduction(+ : sum) firstprivate(i)
        {
          sum += i;
          last = i;  // RACE RACE
        }
      }
    }
  }
  printf("%d %d\n", sum, last);
  return 0;
}
