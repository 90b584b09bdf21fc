// A nest lock held twice is held until both are given back.
// FLAGS: -fopenmp
#include <omp.h>
#include <stdio.h>

int value;
omp_nest_lock_t lock;

static void add(void) {
  omp_set_nest_lock(&lock);
  value += 1;
  omp_unset_nest_lock(&lock);
}

int main(void) {
  omp_init_nest_lock(&lock);
#pragma omp parallel num_threads(4)
  for (int i = 0; i < 50; ++i) {
    while (!omp_test_nest_lock(&lock)) continue;
    add();
    value += 1;
    omp_unset_nest_lock(&lock);
  }
  omp_destroy_nest_lock(&lock);
  printf("%d\n", value);
  return value == 400 ? 0 : 1;
}
