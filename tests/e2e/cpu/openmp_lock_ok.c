// Locks taken by set and by test.
// FLAGS: -fopenmp
#include <omp.h>
#include <stdio.h>

int value;
omp_lock_t lock;

int main(void) {
  omp_init_lock(&lock);
#pragma omp parallel num_threads(4)
  for (int i = 0; i < 50; ++i) {
    if (i % 2) {
      omp_set_lock(&lock);
    } else {
      while (!omp_test_lock(&lock)) continue;
    }
    value += 1;
    omp_unset_lock(&lock);
  }
  omp_destroy_lock(&lock);
  printf("%d\n", value);
  return value == 200 ? 0 : 1;
}
