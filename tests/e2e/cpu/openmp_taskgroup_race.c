// A task created before the group is not part of it.
// FLAGS: -fopenmp
#include <stdio.h>
#include <unistd.h>

int value;

int main(void) {
#pragma omp parallel num_threads(4)
#pragma omp single
  {
#pragma omp task shared(value)
    {
      usleep(20000);
      value = 1;  // RACE
    }
#pragma omp taskgroup
    {
#pragma omp task
      usleep(1000);
    }
    usleep(60000);
    value = 2;  // RACE
  }
  printf("%d\n", value);
  return 0;
}
