// Two sections of one construct run in two threads.
// FLAGS: -fopenmp
#include <stdio.h>
#include <unistd.h>

int value;

int main(void) {
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
      value = 1;  // RACE
      usleep(50000);
    }
#pragma omp section
    {
      usleep(50000);
      value = 2;  // RACE
    }
  }
  printf("%d\n", value);
  return 0;
}
