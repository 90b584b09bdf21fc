// A list under a lock made of compare-exchange that holds its owner's number.
#include <stdatomic.h>

#include "two.h"

struct node {
  struct node* next;
  int value;
};
atomic_int owner;
struct node nodes[40];
struct node* head;

static void body(int number) {
  for (int i = 0; i < 20; i++) {
    int nobody = 0;
    while (!atomic_compare_exchange_weak_explicit(&owner, &nobody, number + 1, memory_order_acquire,
                                                  memory_order_relaxed)) {
      nobody = 0;
      sched_yield();
    }
    struct node* one = &nodes[number * 20 + i];
    one->value = i;
    one->next = head;
    head = one;
    atomic_store_explicit(&owner, 0, memory_order_release);
  }
}

int main(void) {
  in_threads(2, body);
  int count = 0;
  for (struct node* n = head; n != NULL; n = n->next) count++;
  return count == 40 ? 0 : 1;
}
