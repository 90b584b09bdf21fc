// A plain parallel loop with a dependence between iterations.
// FLAGS: -fopenmp
#include <stdio.h>

enum { kSize = 64 };
int a[kSize];

__attribute__((noinline)) static int get(int i) {
  return a[i];  // RACE
}

__attribute__((noinline)) static void set(int i, int value) {
  a[i] = value;  // RACE
}

int main(void) {
#pragma omp parallel for num_threads(4) schedule(static, 1)
  for (int i = 1; i < kSize; ++i) set(i, get(i - 1) + 1);
  printf("%d\n", get(kSize - 1));
  return 0;
}
