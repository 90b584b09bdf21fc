// A task that shares a variable of its creator, which goes on using it.
// FLAGS: -fopenmp
#include <stdio.h>
#include <unistd.h>

int sink;

int main(void) {
#pragma omp parallel num_threads(4)
#pragma omp single
  {
    int local[2] = {1, 1};
#pragma omp task shared(local)
    {
      sink = local[0];  // RACE
    }
    usleep(50000);
    local[0] = 2;  // RACE
#pragma omp taskwait
  }
  printf("%d\n", sink);
  return 0;
}
