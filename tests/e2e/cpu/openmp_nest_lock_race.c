// A nest lock is given up by its last unset, not by the first; after that the variable is unguarded.
// FLAGS: -fopenmp
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

int value;
omp_nest_lock_t lock;

int main(void) {
  omp_init_nest_lock(&lock);
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) {
      omp_set_nest_lock(&lock);
      omp_set_nest_lock(&lock);
      omp_unset_nest_lock(&lock);
      omp_unset_nest_lock(&lock);
      value += 1;  // RACE
    } else {
      usleep(20000);
      omp_set_nest_lock(&lock);
      value += 1;  // RACE
      omp_unset_nest_lock(&lock);
    }
  }
  omp_destroy_nest_lock(&lock);
  printf("%d\n", value);
  return 0;
}
