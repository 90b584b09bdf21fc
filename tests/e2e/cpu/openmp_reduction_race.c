// A sum over a loop without a reduction clause.
// FLAGS: -fopenmp
#include <stdio.h>

__attribute__((noinline)) static void add(int* sum, int value) {
  *sum += value;  // RACE RACE
}

int main(void) {
  int sum = 0;
#pragma omp parallel for num_threads(4) schedule(static, 1)
  for (int i = 0; i < 64; ++i) {
    add(&sum, i);
  }
  printf("%d\n", sum);
  return 0;
}
