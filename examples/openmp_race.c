/* The threads of a team add to one sum without a reduction, so that some of it is lost. Repaired in openmp_ok.c. */
#include <stdio.h>

static long square(long i) { return i * i; }

int main(void) {
  long sum = 0;
#pragma omp parallel for num_threads(4) schedule(static, 1)
  for (long i = 0; i < 64; ++i) {
    sum += square(i); /* RACE */
  }
  printf("sum %ld\n", sum);
  return 0;
}
