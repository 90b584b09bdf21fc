// A loop with its barrier: the next loop reads what others wrote; nowait where iterations stay with their thread.
// FLAGS: -fopenmp
#include <stdio.h>

enum { kSize = 64 };
int a[kSize], b[kSize], c[kSize];

int main(void) {
#pragma omp parallel num_threads(4)
  {
#pragma omp for schedule(static) nowait
    for (int i = 0; i < kSize; ++i) a[i] = i;
#pragma omp for schedule(static)
    for (int i = 0; i < kSize; ++i) b[i] = a[i];
#pragma omp for schedule(dynamic, 3)
    for (int i = 0; i < kSize; ++i) c[i] = b[kSize - 1 - i];
#pragma omp for schedule(guided)
    for (int i = 0; i < kSize; ++i) a[i] = c[kSize - 1 - i];
  }
  printf("%d\n", a[3]);
  return 0;
}
