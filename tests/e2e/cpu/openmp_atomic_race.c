// An atomic update in one thread and a plain one in another.
// FLAGS: -fopenmp
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

int count;

__attribute__((noinline)) static void one(void) {
#pragma omp atomic
  count += 1;  // RACE
}

__attribute__((noinline)) static void two(void) {
  count = 2;  // RACE
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
  printf("%d\n", count);
  return 0;
}
