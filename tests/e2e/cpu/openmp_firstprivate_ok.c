// Tasks with private copies, many, so that their memory is used again and again.
// FLAGS: -fopenmp
#include <stdio.h>

struct block {
  int values[20];
};
long total;

int main(void) {
#pragma omp parallel num_threads(4)
#pragma omp single
  for (int i = 0; i < 400; ++i) {
    struct block block;
    for (int j = 0; j < 20; ++j) block.values[j] = i;
#pragma omp task firstprivate(block)
    {
      long sum = 0;
      for (int j = 0; j < 20; ++j) {
        block.values[j] += 1;
        sum += block.values[j];
      }
#pragma omp atomic
      total += sum;
    }
  }
  printf("%ld\n", total);
  return total == 20L * 400 * 401 / 2 ? 0 : 1;
}
