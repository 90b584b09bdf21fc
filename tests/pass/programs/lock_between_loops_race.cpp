// The same where only one of the threads takes the lock: each of the second loop's accesses is in a race.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int table[100];
static long shared[100], more, sums[2];
unsigned long length = 100;  // not for the compiler to see

__attribute__((noinline)) long work(const int* x, long* y, long* p, unsigned long n,
                                    bool locks) {  // n > 0
  long s = 0;
  unsigned long i = 0;
#pragma clang loop unroll(disable) vectorize(disable)
  do s ^= x[i] * (long)i;
  while (++i != n);
  if (locks) pthread_mutex_lock(&m);
  i = 0;
#pragma clang loop unroll(disable) vectorize(disable)
  do y[i] += *p;
  while (++i != n);
  *p += 1;
  if (locks) pthread_mutex_unlock(&m);
  return s;
}

static void* thread(void* result) {
  *static_cast<long*>(result) = work(table, shared, &more, length, result == sums);
  return nullptr;
}

int main() {
  pthread_t one, other;
  pthread_create(&one, nullptr, thread, &sums[0]);
  pthread_create(&other, nullptr, thread, &sums[1]);
  pthread_join(one, nullptr);
  pthread_join(other, nullptr);
}
