// master followed by a barrier.
// FLAGS: -fopenmp
#include <omp.h>
#include <stdio.h>

int value;
int seen[4];

int main(void) {
#pragma omp parallel num_threads(4)
  {
#pragma omp master
    value = 7;
#pragma omp barrier
    seen[omp_get_thread_num()] = value;
#pragma omp barrier
#pragma omp master
    value = 8;
  }
  value = 9;
  printf("%d %d\n", seen[1], value);
  return 0;
}
