// Stack frames reused by later calls and later threads carry no history.
#include "order.h"

static int in_frame(int depth) {
  int local[64];
  for (int i = 0; i < 64; i++) local[i] = depth;
  USE_OBJECT(local);
  return depth == 0 ? local[3] : in_frame(depth - 1) + local[5];
}

static void* body(void* unused) {
  USE(in_frame(8));
  return unused;
}

int main(void) {
  for (int round = 0; round < 50; round++) in_two_threads(body, body);
  return 0;
}
