// In an ordered loop only the ordered part is in order.
// FLAGS: -fopenmp
#include <stdio.h>

int before, inside;

int main(void) {
#pragma omp parallel for ordered num_threads(4) schedule(static, 1)
  for (int i = 0; i < 8; ++i) {
#pragma omp ordered
    inside += i;
    before += i;  // RACE RACE
  }
  printf("%d %d\n", before, inside);
  return 0;
}
