// A 32-byte vector store overlaps a byte that another thread reads.
// FLAGS: -mavx2
// COMPILERS: gcc
// NEEDS: avx2
#include <immintrin.h>

#include "order.h"

_Alignas(32) char block[64];

static void* writer(void* unused) {
  *(__m256i*)block = _mm256_set1_epi8(1);  // RACE
  order_reached(1);
  return unused;
}

static void* reader(void* unused) {
  order_await(1);
  USE(block[29]);  // RACE
  return unused;
}

int main(void) {
  in_two_threads(writer, reader);
  return 0;
}
