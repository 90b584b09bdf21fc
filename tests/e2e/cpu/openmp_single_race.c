// single nowait: the others do not wait for what the one writes.
// FLAGS: -fopenmp
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

int value;
int seen[4];

int main(void) {
#pragma omp parallel num_threads(4)
  {
#pragma omp single nowait
    value = 7;  // RACE
    usleep(20000);
    seen[omp_get_thread_num()] = value;  // RACE
  }
  printf("%d\n", seen[0]);
  return 0;
}
