// Two critical sections with different names do not exclude each other.
// FLAGS: -fopenmp
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

int shared_count;

__attribute__((noinline)) static void one(void) {
#pragma omp critical(first)
  shared_count += 1;  // RACE
}

__attribute__((noinline)) static void two(void) {
#pragma omp critical(second)
  shared_count += 2;  // RACE
}

int main(void) {
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) {
      one();
    } else {
      usleep(20000);
      two();
    }
  }
  printf("%d\n", shared_count);
  return 0;
}
