// A loop without its barrier: the next loop reads what other threads still write.
// FLAGS: -fopenmp
#include <stdio.h>

enum { kSize = 64 };
int a[kSize], b[kSize];

int main(void) {
#pragma omp parallel num_threads(4)
  {
#pragma omp for schedule(static, 1) nowait
    for (int i = 0; i < kSize; ++i) a[i] = i;  // RACE
#pragma omp for schedule(static, 1)
    for (int i = 0; i < kSize; ++i) b[i] = a[kSize - 1 - i];  // RACE
  }
  printf("%d\n", b[3]);
  return 0;
}
