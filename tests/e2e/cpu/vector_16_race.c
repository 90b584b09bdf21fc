// A 16-byte vector store overlaps an int that another thread reads.
#include <emmintrin.h>

#include "order.h"

_Alignas(16) int values[8];

static void* writer(void* unused) {
  *(__m128i*)values = _mm_set1_epi32(1);  // RACE
  order_reached(1);
  return unused;
}

static void* reader(void* unused) {
  order_await(1);
  USE(values[3]);  // RACE
  return unused;
}

int main(void) {
  in_two_threads(writer, reader);
  return 0;
}
