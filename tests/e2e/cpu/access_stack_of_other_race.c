// A thread lends the address of its own local variable and writes it while it is lent.
#include <semaphore.h>

#include "order.h"

int* lent;
sem_t given, returned;

static void* lender(void* unused) {
  int local = 0;
  lent = &local;
  sem_post(&given);
  order_await(1);
  local++;  // RACE
  USE_OBJECT(local);
  order_reached(2);
  return unused;
}

static void* borrower(void* unused) {
  sem_wait(&given);
  *lent = 5;  // RACE
  order_reached(1);
  order_await(2);
  return unused;
}

int main(void) {
  sem_init(&given, 0, 0);
  sem_init(&returned, 0, 0);
  in_two_threads(lender, borrower);
  return 0;
}
