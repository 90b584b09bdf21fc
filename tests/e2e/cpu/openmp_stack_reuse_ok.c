// Stacks of workers are used again by later regions and by tasks that nothing orders.
// FLAGS: -fopenmp
#include <stdio.h>

long total;

static long work(int depth, long seed) {
  long values[40];
  for (int i = 0; i < 40; ++i) values[i] = seed + i;
  long* volatile escape = values;
  long sum = depth > 0 ? work(depth - 1, seed) : 0;
  for (int i = 0; i < 40; ++i) sum += escape[i];
  return sum;
}

int main(void) {
  for (int round = 0; round < 5; ++round) {
#pragma omp parallel num_threads(4)
    {
      long sum = work(round, round);
#pragma omp atomic
      total += sum;
#pragma omp single
      for (int i = 0; i < 40; ++i) {
#pragma omp task
        {
          long mine = work(i % 7, i);
#pragma omp atomic
          total += mine;
        }
      }
      sum = work(3, round);
#pragma omp atomic
      total += sum;
    }
  }
  printf("%ld\n", total);
  return 0;
}
