// A System V segment is attached twice; an atomic in it is set at one address and awaited at the other.
#define _GNU_SOURCE
#include <sys/ipc.h>
#include <sys/shm.h>

#include "order.h"

int *here, *there;

static void* first(void* unused) {
  here[1500] = 1;
  __atomic_store_n(&here[0], 1, __ATOMIC_RELEASE);
  order_reached(1);
  return unused;
}

static void* second(void* unused) {
  order_await(1);
  while (__atomic_load_n(&there[0], __ATOMIC_ACQUIRE) == 0) {
  }
  there[1500] = 2;
  return unused;
}

int main(void) {
  int id = shmget(IPC_PRIVATE, 10000, IPC_CREAT | 0600);
  here = shmat(id, NULL, 0);
  there = shmat(id, NULL, 0);
  shmctl(id, IPC_RMID, NULL);
  in_two_threads(first, second);
  int same = here[1500] == there[1500];
  shmdt(here);
  shmdt(there);
  return same ? 0 : 1;
}
