// taskwait waits for children, not for grandchildren.
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
#pragma omp task shared(value)
      {
        value = 1;  // RACE
      }
    }
#pragma omp taskwait
    usleep(50000);
    value += 1;  // RACE
  }
  printf("%d\n", value);
  return 0;
}
