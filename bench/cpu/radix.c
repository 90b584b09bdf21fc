// Radix sort of 16-byte records, least significant digit first: each pass counts digits in a
// thread's own share, adds up everybody's counts between two barriers, and scatters the records to
// where all threads write side by side, each to its own places.
#include "workload.h"

enum { kDigitBits = 8, kDigits = 1 << kDigitBits, kKeyBits = 64 };

typedef struct Record {
  uint64_t key;
  double value;
} Record;

typedef struct Sort {
  int threads;
  long n;
  Record* from;
  Record* to;
  long (*count)[kDigits];  // per thread
  pthread_barrier_t barrier;
  pthread_mutex_t lock;
  long moved;
} Sort;

static void sort_share(int self, void* data) {
  Sort* sort = (Sort*)data;
  const long begin = share_begin(sort->n, self, sort->threads);
  const long end = share_begin(sort->n, self + 1, sort->threads);
  Record* from = sort->from;
  Record* to = sort->to;
  long* count = sort->count[self];
  long* place = (long*)malloc(kDigits * sizeof(long));
  for (int shift = 0; shift < kKeyBits; shift += kDigitBits) {
    memset(count, 0, kDigits * sizeof(long));
    for (long i = begin; i < end; ++i) ++count[(from[i].key >> shift) & (kDigits - 1)];
    pthread_barrier_wait(&sort->barrier);
    // A record goes behind all smaller digits, and behind the same digit of earlier threads.
    long before = 0;
    for (int digit = 0; digit < kDigits; ++digit) {
      for (int t = 0; t < sort->threads; ++t) {
        if (t == self) place[digit] = before;
        before += sort->count[t][digit];
      }
    }
    long moved = 0;
    for (long i = begin; i < end; ++i) {
      const long where = place[(from[i].key >> shift) & (kDigits - 1)]++;
      to[where] = from[i];
      moved += where != i;
    }
    GUARDED(&sort->lock, sort->moved += moved);
    pthread_barrier_wait(&sort->barrier);
    Record* swap = from;
    from = to;
    to = swap;
  }
  free(place);
}

int main(int argc, char** argv) {
  const Arguments arguments = read_arguments(argc, argv, 5000000);
  Sort sort = {0};
  sort.threads = arguments.threads;
  sort.n = arguments.size;
  sort.from = (Record*)malloc(sort.n * sizeof(Record));
  sort.to = (Record*)malloc(sort.n * sizeof(Record));
  sort.count = (long(*)[kDigits])malloc(sort.threads * sizeof(*sort.count));
  uint64_t seed = 5;
  for (long i = 0; i < sort.n; ++i) {
    sort.from[i].key = next_random(&seed) >> (64 - kKeyBits);
    sort.from[i].value = (double)i;
  }
  pthread_mutex_init(&sort.lock, NULL);
  pthread_barrier_init(&sort.barrier, NULL, sort.threads);
  run_threads(sort.threads, sort_share, &sort);
  double sum = (double)sort.moved;
  for (long i = 1; i < sort.n; ++i) {  // an even number of passes: the result is in `from`
    if (sort.from[i - 1].key > sort.from[i].key) {
      fprintf(stderr, "radix: not sorted at %ld\n", i);
      return 70;
    }
    sum += sort.from[i].value * (double)(i & 255);
  }
  free(sort.from);
  free(sort.to);
  free(sort.count);
  return finish(sum, __FILE__);
}
