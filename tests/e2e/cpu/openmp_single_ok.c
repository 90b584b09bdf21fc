// single with its barrier, and copyprivate that hands a private value to all.
// FLAGS: -fopenmp
#include <omp.h>
#include <stdio.h>

int value;
int seen[4], copied[4];

int main(void) {
#pragma omp parallel num_threads(4)
  {
    int mine = -1;
    for (int round = 0; round < 20; ++round) {
#pragma omp single
      value = round;
      seen[omp_get_thread_num()] = value;
#pragma omp single copyprivate(mine)
      mine = value + 1;
      copied[omp_get_thread_num()] = mine;
    }
  }
  printf("%d %d\n", seen[0], copied[3]);
  return copied[3] == 20 ? 0 : 1;
}
