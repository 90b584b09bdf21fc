// siglongjmp out of a signal handler, then a race in the thread that jumped.
#include <setjmp.h>
#include <signal.h>

#include "order.h"

sigjmp_buf way_out;
int shared;

static void on_signal(int number) {
  siglongjmp(way_out, number);
}

int main(void) {
  struct sigaction action = {0};
  action.sa_handler = on_signal;
  sigaction(SIGSEGV, &action, NULL);
  volatile int* volatile nowhere = NULL;
  if (sigsetjmp(way_out, 1) == 0) *nowhere = 1;
  struct Thread {
    pthread_t id;
  } thread;
  extern void* body(void*);
  pthread_create(&thread.id, NULL, body, NULL);
  order_await(1);
  shared = 2;  // RACE
  pthread_join(thread.id, NULL);
  return 0;
}

void* body(void* unused) {
  shared = 1;  // RACE
  order_reached(1);
  return unused;
}
