// Reductions: scalars, an array, a user-defined one, several at once, in loops and regions.
// FLAGS: -fopenmp
#include <stdio.h>

struct pair {
  long a, b;
};
#pragma omp declare reduction(add : struct pair : omp_out.a += omp_in.a, omp_out.b += omp_in.b)

int main(void) {
  long sum = 0, most = -1;
  double product = 1;
  int histogram[8] = {0};
  struct pair both = {0, 0};
#pragma omp parallel for num_threads(4) reduction(+ : sum) reduction(max : most)
  for (int i = 0; i < 200; ++i) {
    sum += i;
    if (i > most) most = i;
  }
#pragma omp parallel num_threads(7) reduction(* : product)
  {
    product *= 2;
#pragma omp for reduction(+ : histogram) schedule(dynamic, 5)
    for (int i = 0; i < 200; ++i) histogram[i % 8] += 1;
#pragma omp for reduction(add : both) nowait
    for (int i = 0; i < 200; ++i) {
      both.a += i;
      both.b += 1;
    }
  }
  printf("%ld %ld %g %d %ld %ld\n", sum, most, product, histogram[0], both.a, both.b);
  return sum == 19900 && histogram[7] == 25 && both.b == 200 ? 0 : 1;
}
