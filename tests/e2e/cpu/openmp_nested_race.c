// Inner regions of two outer threads write one variable.
// FLAGS: -fopenmp
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

int value;

int main(void) {
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
  {
    int outer = omp_get_thread_num();
    usleep(outer * 30000);
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 1) {
      value = outer;  // RACE RACE
    }
  }
  printf("%d\n", value);
  return 0;
}
