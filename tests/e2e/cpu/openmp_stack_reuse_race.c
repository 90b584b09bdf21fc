// A variable on a worker's stack, reached by another thread through a pointer, after earlier regions used that stack.
// FLAGS: -fopenmp
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

int* pointer;

__attribute__((noinline)) static void fill(int* values) {
  for (int i = 0; i < 50; ++i) values[i] = i;
}

__attribute__((noinline)) static void use_own(int* local) {
  *local = 1;  // RACE
}

__attribute__((noinline)) static void use_other(void) {
  *pointer = 2;  // RACE
}

int main(void) {
#pragma omp parallel num_threads(2)
  {
    int values[50];
    fill(values);
  }
#pragma omp parallel num_threads(2)
  {
    int local = 0;
    if (omp_get_thread_num() == 1) pointer = &local;
#pragma omp barrier
    if (omp_get_thread_num() == 1) {
      use_own(&local);
    } else {
      usleep(20000);
      use_other();
    }
#pragma omp barrier
  }
  return 0;
}
