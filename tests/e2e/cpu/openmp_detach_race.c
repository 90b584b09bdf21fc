// A detached task is complete when its event is fulfilled; the variable was written after that.
// FLAGS: -fopenmp
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

int value, seen;

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    omp_event_handle_t event;
#pragma omp task detach(event) depend(out : value)
    { usleep(1000); }
#pragma omp task depend(in : value) shared(seen)
    {
      usleep(50000);
      seen = value;  // RACE
    }
    omp_fulfill_event(event);
    value = 1;  // RACE
  }
  printf("%d\n", seen);
  return 0;
}
