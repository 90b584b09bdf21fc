// What is done before an event is fulfilled is seen by those who wait for the detached task.
// FLAGS: -fopenmp
#include <omp.h>
#include <stdio.h>

int value, body, seen;

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    omp_event_handle_t event;
#pragma omp task detach(event) depend(out : value) shared(body)
    body = 1;
#pragma omp task depend(in : value) shared(seen, body)
    seen = value + body;
    value = 1;
    omp_fulfill_event(event);
#pragma omp taskwait
    seen += body;
  }
  printf("%d\n", seen);
  return seen == 3 ? 0 : 1;
}
