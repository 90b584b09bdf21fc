// Two tasks that nothing orders race, even if one thread runs both, one after the other.
// FLAGS: -fopenmp
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

int value, hold = 1;

int main(void) {
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) {
      // The other thread keeps out of the way: both tasks run here, in the taskwait.
      for (int i = 0; i < 2; ++i) {
#pragma omp task shared(value)
        {
          value += 1;  // RACE RACE
        }
      }
#pragma omp taskwait
#pragma omp atomic write
      hold = 0;
    } else {
      int stay = 1;
      while (stay) {
        usleep(1000);
#pragma omp atomic read
        stay = hold;
      }
    }
  }
  printf("%d\n", value);
  return 0;
}
