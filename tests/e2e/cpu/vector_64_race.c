// A 64-byte vector store races with a 64-byte vector load.
// FLAGS: -mavx512f
// COMPILERS: gcc
// NEEDS: avx512f
#include <immintrin.h>

#include "order.h"

__m512i shared;

static void* writer(void* unused) {
  shared = _mm512_set1_epi32(1);  // RACE
  order_reached(1);
  return unused;
}

static void* reader(void* unused) {
  order_await(1);
  __m512i copy = shared;  // RACE
  USE_OBJECT(copy);
  return unused;
}

int main(void) {
  in_two_threads(writer, reader);
  return 0;
}
