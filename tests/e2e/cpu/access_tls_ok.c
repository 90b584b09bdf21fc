// Each thread uses its own copy of a thread-local variable.
#include "order.h"

_Thread_local int mine;

static void* owner(void* unused) {
  for (int i = 0; i < 100; i++) mine++;
  return unused;
}

static void* visitor(void* unused) {
  for (int i = 0; i < 100; i++) mine--;
  return unused;
}

int main(void) {
  in_two_threads(owner, visitor);
  return 0;
}
