// Two locks for one variable.
// FLAGS: -fopenmp
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

int value;
omp_lock_t one, two;

int main(void) {
  omp_init_lock(&one);
  omp_init_lock(&two);
#pragma omp parallel num_threads(2)
  {
    omp_lock_t* lock = omp_get_thread_num() == 0 ? &one : &two;
    usleep(omp_get_thread_num() * 20000);
    omp_set_lock(lock);
    value += 1;  // RACE RACE
    omp_unset_lock(lock);
  }
  omp_destroy_lock(&one);
  omp_destroy_lock(&two);
  printf("%d\n", value);
  return 0;
}
