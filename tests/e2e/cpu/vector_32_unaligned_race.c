// An unaligned 32-byte vector load races with a write of its last byte.
// FLAGS: -mavx2
// COMPILERS: gcc
// NEEDS: avx2
#include <immintrin.h>

#include "order.h"

typedef long long Wide __attribute__((vector_size(32), aligned(1), may_alias));
_Alignas(32) char block[96];

static void* reader(void* unused) {
  Wide value = *(Wide*)(block + 5);  // RACE
  USE_OBJECT(value);
  order_reached(1);
  return unused;
}

static void* writer(void* unused) {
  order_await(1);
  block[36] = 1;  // RACE
  return unused;
}

int main(void) {
  in_two_threads(reader, writer);
  return 0;
}
