// A pointer to one thread's private copy, used by another.
// FLAGS: -fopenmp
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

int mine;
#pragma omp threadprivate(mine)
int* theirs;

__attribute__((noinline)) static void use_own(void) {
  mine = 1;  // RACE
}

__attribute__((noinline)) static void use_other(void) {
  *theirs = 2;  // RACE
}

int main(void) {
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) theirs = &mine;
#pragma omp barrier
    if (omp_get_thread_num() == 0) {
      use_own();
    } else {
      usleep(20000);
      use_other();
    }
  }
  printf("%d\n", mine);
  return 0;
}
