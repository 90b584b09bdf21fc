// A 64-byte vector store and load under a mutex.
// FLAGS: -mavx512f
// COMPILERS: gcc
// NEEDS: avx512f
#include <immintrin.h>

#include "order.h"

__m512i shared;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void* writer(void* unused) {
  pthread_mutex_lock(&lock);
  shared = _mm512_set1_epi32(1);
  pthread_mutex_unlock(&lock);
  order_reached(1);
  return unused;
}

static void* reader(void* unused) {
  order_await(1);
  pthread_mutex_lock(&lock);
  __m512i copy = shared;
  pthread_mutex_unlock(&lock);
  USE_OBJECT(copy);
  return unused;
}

int main(void) {
  in_two_threads(writer, reader);
  return 0;
}
