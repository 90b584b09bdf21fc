// Sorting of integers, as in is.c, with OpenSHMEM: a PE reserves room in another's bucket by an atomic
// on its fill count, and puts its keys there without waiting; the barrier completes all puts.
//
// Planted: the keys are changed while the puts from it are under way.
#include <shmem.h>

#include "workload.h"

enum { kRounds = 30, kKeyBits = 19, kKeys = 1 << kKeyBits };

typedef struct Sorter {
  int me, pes;
  bool plant;
  long n, room;
  int *keys, *grouped, *count;
  int* bucket;  // symmetric
} Sorter;

static long filled;           // symmetric: how many keys are in the bucket, or promised
static uint64_t sum_of_mine;  // symmetric

static int owner_of(const Sorter* s, int key) {
  return (int)((int64_t)key * s->pes >> kKeyBits);
}

static void distribute(Sorter* s) {
  long begin[257] = {0};
  for (long i = 0; i < s->n; ++i) begin[owner_of(s, s->keys[i]) + 1] += 1;
  for (int pe = 0; pe < s->pes; ++pe) begin[pe + 1] += begin[pe];
  long next[256];
  memcpy(next, begin, sizeof next);
  for (long i = 0; i < s->n; ++i) s->grouped[next[owner_of(s, s->keys[i])]++] = s->keys[i];
  for (int pe = 0; pe < s->pes; ++pe) {
    const long some = begin[pe + 1] - begin[pe];
    const long place = shmem_long_atomic_fetch_add(&filled, some, pe);
    if (place + some > s->room) {
      fprintf(stderr, "a bucket is full: %ld keys\n", s->room);
      shmem_global_exit(1);
    }
    shmem_int_put_nbi(s->bucket + place, s->grouped + begin[pe], (size_t)some, pe);  // race
  }
  if (s->plant) {
    s->plant = false;
    for (long i = 0; i < s->n; ++i) s->grouped[i] ^= 1;  // race
  }
  shmem_barrier_all();
}

// Of the keys in the bucket: a sum of ranks times keys, whatever the order they came in.
static uint64_t rank_keys(Sorter* s) {
  const long low = ((long)s->me << kKeyBits) / s->pes;
  const long high = ((long)(s->me + 1) << kKeyBits) / s->pes + 1;
  memset(s->count, 0, (size_t)(high - low) * sizeof(int));
  for (long i = 0; i < filled; ++i) s->count[s->bucket[i] - low] += 1;
  uint64_t sum = 0, place = 0;
  for (long k = 0; k < high - low; ++k) {
    place += (uint64_t)s->count[k];
    sum += place * (uint64_t)(k + low) % 1000003;
  }
  return sum;
}

int main(int argc, char** argv) {
  shmem_init();
  Sorter s = {.n = read_size(argc, argv, 1500000), .plant = race_is_planted()};
  s.me = shmem_my_pe();
  s.pes = shmem_n_pes();
  s.room = 2 * s.n + 1000;
  s.keys = malloc((size_t)s.n * sizeof(int));
  s.grouped = malloc((size_t)s.n * sizeof(int));
  s.count = malloc((kKeys / (size_t)s.pes + 2) * sizeof(int));
  s.bucket = shmem_malloc((size_t)s.room * sizeof(int));
  uint64_t seed = (uint64_t)s.me + 7;
  for (int round = 0; round < kRounds; ++round) {
    for (long i = 0; i < s.n; ++i) {
      const uint64_t bits = next_random(&seed);  // a sum of two: a hill, not a plain
      s.keys[i] = (int)(((bits & (kKeys - 1)) + (bits >> 32 & (kKeys - 1))) / 2);
    }
    filled = 0;
    shmem_barrier_all();
    distribute(&s);
    sum_of_mine = sum_of_mine * 31 % 1000003 + rank_keys(&s) % 1000003;
  }
  shmem_barrier_all();
  if (s.me == 0) {
    uint64_t all = 0;
    for (int pe = 0; pe < s.pes; ++pe) all += shmem_uint64_g(&sum_of_mine, pe);
    print_checksum((double)all);
  }
  shmem_barrier_all();
  shmem_free(s.bucket);
  free(s.keys);
  free(s.grouped);
  free(s.count);
  shmem_finalize();
  return 0;
}
