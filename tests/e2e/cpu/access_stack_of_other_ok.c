// A thread lends the address of its own local variable and takes it back through a semaphore.
#include <semaphore.h>

#include "order.h"

int* lent;
sem_t given, returned;

static void* lender(void* unused) {
  int local = 0;
  lent = &local;
  sem_post(&given);
  sem_wait(&returned);
  local++;
  USE_OBJECT(local);
  return unused;
}

static void* borrower(void* unused) {
  sem_wait(&given);
  *lent = 5;
  sem_post(&returned);
  return unused;
}

int main(void) {
  sem_init(&given, 0, 0);
  sem_init(&returned, 0, 0);
  in_two_threads(lender, borrower);
  return 0;
}
