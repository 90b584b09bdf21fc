// Critical sections of one name, and the unnamed one, each guard their own variable.
// FLAGS: -fopenmp
#include <stdio.h>

int named, unnamed;

int main(void) {
#pragma omp parallel num_threads(4)
  for (int i = 0; i < 50; ++i) {
#pragma omp critical(count)
    named += 1;
#pragma omp critical
    unnamed += 1;
  }
  printf("%d %d\n", named, unnamed);
  return named == 200 && unnamed == 200 ? 0 : 1;
}
