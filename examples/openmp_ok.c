/* Each thread of a team adds to a sum of its own, and the reduction adds these. The racy twin is openmp_race.c. */
#include <stdio.h>

static long square(long i) { return i * i; }

int main(void) {
  long sum = 0;
#pragma omp parallel for num_threads(4) schedule(static, 1) reduction(+ : sum)
  for (long i = 0; i < 64; ++i) {
    sum += square(i);
  }
  printf("sum %ld\n", sum);
  return 0;
}
