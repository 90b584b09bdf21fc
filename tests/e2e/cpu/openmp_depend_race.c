// Two readers of one out: one of them writes although it only promised to read.
// FLAGS: -fopenmp
#include <stdio.h>
#include <unistd.h>

int value, seen;

int main(void) {
#pragma omp parallel num_threads(4)
#pragma omp single
  {
#pragma omp task depend(out : value)
    value = 1;
#pragma omp task depend(in : value)
    {
      usleep(20000);
      seen = value;  // RACE
    }
#pragma omp task depend(in : value)
    {
      usleep(60000);
      value = 2;  // RACE
    }
  }
  printf("%d\n", value + seen);
  return 0;
}
