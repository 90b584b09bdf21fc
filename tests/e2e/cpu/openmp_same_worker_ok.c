// Tasks of one thread, ordered by taskwait, by depend, by if(0), and by being in a team of one.
// FLAGS: -fopenmp
#include <stdio.h>

int value;

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task shared(value)
    value += 1;
#pragma omp taskwait
    for (int i = 0; i < 5; ++i) {
#pragma omp task shared(value) depend(inout : value)
      value += 1;
    }
#pragma omp task shared(value) if (0) depend(inout : value)
    value += 1;
    value += 1;
#pragma omp task shared(value) final(1) if (0)
    {
#pragma omp task shared(value)
      value += 1;
      value += 1;
    }
  }
#pragma omp parallel num_threads(1)
  {
#pragma omp task shared(value)
    value += 1;
    value += 1;
  }
  printf("%d\n", value);
  return value == 12 ? 0 : 1;
}
