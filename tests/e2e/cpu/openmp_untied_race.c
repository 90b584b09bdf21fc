// An untied task and its creator, before and after a taskyield.
// FLAGS: -fopenmp
#include <stdio.h>
#include <unistd.h>

int value;

int main(void) {
#pragma omp parallel num_threads(4)
#pragma omp single
  {
#pragma omp task untied shared(value)
    {
#pragma omp taskyield
      value = 1;  // RACE
    }
    usleep(50000);
    value = 2;  // RACE
  }
  printf("%d\n", value);
  return 0;
}
