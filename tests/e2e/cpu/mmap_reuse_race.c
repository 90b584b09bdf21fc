// Mapped memory is unmapped while another thread still uses it: the new mapping has its own users.
#include <sys/mman.h>

#include "order.h"

enum { kSize = 1 << 16 };
char* place;

static void* first(void* unused) {
  place[100] = 1;  // RACE
  order_reached(1);
  return unused;
}

static void* second(void* unused) {
  order_await(1);
  place[100] = 2;  // RACE
  return unused;
}

int main(void) {
  place = mmap(NULL, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  in_two_threads(first, second);
  return 0;
}
