// The ordered parts of a loop happen one after the other, and carry data along.
// FLAGS: -fopenmp
#include <stdio.h>

int last, list[64];

int main(void) {
#pragma omp parallel for ordered num_threads(4) schedule(dynamic, 3)
  for (int i = 0; i < 64; ++i) {
    list[i] = i;
#pragma omp ordered
    {
      if (i > 0) last += list[i - 1];
    }
  }
  printf("%d\n", last);
  return last == 63 * 62 / 2 ? 0 : 1;
}
