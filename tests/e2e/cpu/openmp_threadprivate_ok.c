// threadprivate variables with copyin, over several regions.
// FLAGS: -fopenmp
#include <omp.h>
#include <stdio.h>

int mine;
#pragma omp threadprivate(mine)
int seen[4];

int main(void) {
  for (int round = 0; round < 10; ++round) {
    mine = round;
#pragma omp parallel num_threads(4) copyin(mine)
    {
      mine += omp_get_thread_num();
      seen[omp_get_thread_num()] = mine;
    }
#pragma omp parallel num_threads(4)
    mine += seen[3];
  }
  printf("%d\n", seen[3]);
  return seen[3] == 12 ? 0 : 1;
}
