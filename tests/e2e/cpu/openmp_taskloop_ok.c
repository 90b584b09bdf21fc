// taskloop with private data; the code after it has waited, after nogroup it waits itself.
// FLAGS: -fopenmp
#include <stdio.h>

int list[256], sum;

int main(void) {
#pragma omp parallel num_threads(4)
#pragma omp single
  {
    int offset = 3;
#pragma omp taskloop grainsize(10) firstprivate(offset)
    for (int i = 0; i < 256; ++i) {
      offset += 0;
      list[i] = i + offset;
    }
    for (int i = 0; i < 256; ++i) sum += list[i];
#pragma omp taskloop nogroup num_tasks(5)
    for (unsigned long long i = 0; i < 256; ++i) list[i] -= 3;
#pragma omp taskwait
    for (int i = 0; i < 256; ++i) sum -= list[i];
  }
  printf("%d\n", sum);
  return sum == 768 ? 0 : 1;
}
