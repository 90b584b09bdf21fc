// Atomic updates, and data handed over by an atomic flag with release and acquire.
// FLAGS: -fopenmp
#include <omp.h>
#include <stdio.h>

int count, data, ready;

int main(void) {
#pragma omp parallel num_threads(4)
  {
    for (int i = 0; i < 50; ++i) {
#pragma omp atomic
      count += 1;
    }
    if (omp_get_thread_num() == 0) {
      data = 42;
#pragma omp atomic write release
      ready = 1;
    } else if (omp_get_thread_num() == 1) {
      int seen = 0;
      while (!seen) {
#pragma omp atomic read acquire
        seen = ready;
      }
      if (data != 42) printf("lost\n");
    }
  }
  printf("%d\n", count);
  return count == 200 ? 0 : 1;
}
