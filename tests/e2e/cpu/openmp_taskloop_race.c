// The tasks of a taskloop share a variable.
// FLAGS: -fopenmp
#include <stdio.h>

int last;

int main(void) {
#pragma omp parallel num_threads(4)
#pragma omp single
  {
#pragma omp taskloop num_tasks(8)
    for (int i = 0; i < 64; ++i) {
      last = i;  // RACE RACE
    }
  }
  printf("%d\n", last);
  return 0;
}
