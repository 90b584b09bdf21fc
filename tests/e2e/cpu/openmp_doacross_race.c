// A loop that waits for the iteration two before, and uses the one before.
// FLAGS: -fopenmp
#include <stdio.h>

enum { kSize = 32 };
int a[kSize];

__attribute__((noinline)) static int get(int i) {
  return a[i];  // RACE
}

__attribute__((noinline)) static void set(int i, int value) {
  a[i] = value;  // RACE
}

int main(void) {
#pragma omp parallel for ordered(1) num_threads(4) schedule(static, 1)
  for (int i = 2; i < kSize; ++i) {
#pragma omp ordered depend(sink : i - 2)
    set(i, get(i - 1) + 1);
#pragma omp ordered depend(source)
  }
  printf("%d\n", a[kSize - 1]);
  return 0;
}
