// A neighbour is read after a barrier, round after round.
// FLAGS: -fopenmp
#include <omp.h>
#include <stdio.h>

int value[2][4];

int main(void) {
#pragma omp parallel num_threads(4)
  {
    int me = omp_get_thread_num();
    value[0][me] = me;
    for (int round = 1; round < 50; ++round) {
#pragma omp barrier
      value[round % 2][me] = value[(round - 1) % 2][(me + 1) % 4] + 1;
    }
  }
  printf("%d\n", value[0][0]);
  return 0;
}
