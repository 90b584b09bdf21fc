// master has no barrier: the others read too early.
// FLAGS: -fopenmp
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

int value;
int seen[4];

int main(void) {
#pragma omp parallel num_threads(4)
  {
#pragma omp master
    value = 7;  // RACE
    usleep(20000);
    if (omp_get_thread_num() != 0) seen[omp_get_thread_num()] = value;  // RACE
  }
  printf("%d\n", seen[1]);
  return 0;
}
