// The first loop runs on some ways only, and where the second one begins is loaded behind it. It must compile: a range of the second
// loop that went to the first one's would use what is not computed there.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int table[100];
static long shared[100], sums[2];
static long* place = shared;
unsigned long length = 100;  // not for the compiler to see

__attribute__((noinline)) long work(const int* x, long** where, unsigned long n,
                                    bool first) {  // n > 0
  long s = 0;
  unsigned long i = 0;
  if (first) {
#pragma clang loop unroll(disable) vectorize(disable)
    do s ^= x[i] * (long)i;
    while (++i != n);
  }
  pthread_mutex_lock(&m);
  i = 0;
  long* const y = *where;
#pragma clang loop unroll(disable) vectorize(disable)
  do y[i] += *sums;
  while (++i != n);
  pthread_mutex_unlock(&m);
  return s;
}

static void* thread(void* first) {
  if (work(table, &place, length, first != nullptr) == 42) *place = 1;
  return nullptr;
}

int main() {
  pthread_t one, other;
  pthread_create(&one, nullptr, thread, nullptr);
  pthread_create(&other, nullptr, thread, &one);
  pthread_join(one, nullptr);
  pthread_join(other, nullptr);
}
