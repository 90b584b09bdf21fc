// A neighbour is read without a barrier after everybody wrote.
// FLAGS: -fopenmp
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

int value[4], sum[4];

int main(void) {
#pragma omp parallel num_threads(4)
  {
    int me = omp_get_thread_num();
    value[me] = me + 1;  // RACE
    usleep(20000);
    sum[me] = value[(me + 1) % 4];  // RACE
  }
  printf("%d\n", sum[0]);
  return 0;
}
