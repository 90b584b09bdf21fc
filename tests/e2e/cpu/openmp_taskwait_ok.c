// A recursive sum whose every level waits for its children.
// FLAGS: -fopenmp
#include <stdio.h>

int numbers[256];

int sum(int from, int to) {
  if (to - from == 1) return numbers[from];
  int left, right, middle = (from + to) / 2;
#pragma omp task shared(left)
  left = sum(from, middle);
#pragma omp task shared(right) if (to - from > 8)
  right = sum(middle, to);
#pragma omp taskwait
  return left + right;
}

int main(void) {
  int result = 0;
  for (int i = 0; i < 256; ++i) numbers[i] = i;
#pragma omp parallel num_threads(4)
#pragma omp single
  result = sum(0, 256);
  printf("%d\n", result);
  return result == 255 * 128 ? 0 : 1;
}
