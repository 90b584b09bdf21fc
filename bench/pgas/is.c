// Sorting of integers, as in NPB's IS: keys are distributed over ranks by their range, then counted
// and ranked locally. A rank reserves room in another's bucket by MPI_Fetch_and_op on its fill
// count, and puts its keys there under a shared lock: the ranges are disjoint.
//
// Planted: the locks are released after the barrier, so the puts are not complete when their
// targets count the keys.
#include <mpi.h>

#include "workload.h"

enum { kRounds = 30, kKeyBits = 19, kKeys = 1 << kKeyBits };

typedef struct Sorter {
  int rank, ranks;
  bool plant;
  long n;         // keys of a rank before they are distributed
  long room;      // of a bucket
  int32_t* keys;  // by number, then grouped by bucket in `grouped`
  int32_t* grouped;
  int32_t* bucket;  // in a window
  int64_t* filled;  // in a window: how many keys are in the bucket, or promised
  int32_t* count;   // of each key
  MPI_Win bucket_window, filled_window;
} Sorter;

static int owner_of(const Sorter* s, int32_t key) {
  return (int)((int64_t)key * s->ranks >> kKeyBits);
}

static void distribute(Sorter* s) {
  long begin[257] = {0};
  for (long i = 0; i < s->n; ++i) begin[owner_of(s, s->keys[i]) + 1] += 1;
  for (int r = 0; r < s->ranks; ++r) begin[r + 1] += begin[r];
  long next[256];
  memcpy(next, begin, sizeof next);
  for (long i = 0; i < s->n; ++i) s->grouped[next[owner_of(s, s->keys[i])]++] = s->keys[i];

  for (int r = 0; r < s->ranks; ++r) {
    const int64_t some = begin[r + 1] - begin[r];
    int64_t place = 0;
    MPI_Fetch_and_op(&some, &place, MPI_INT64_T, r, 0, MPI_SUM, s->filled_window);
    MPI_Win_flush(r, s->filled_window);
    if (place + some > s->room) {
      fprintf(stderr, "a bucket is full: %ld keys\n", s->room);
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Win_lock(MPI_LOCK_SHARED, r, 0, s->bucket_window);
    MPI_Put(s->grouped + begin[r], (int)some, MPI_INT32_T, r, place, (int)some, MPI_INT32_T,
            s->bucket_window);  // race
    if (!s->plant) MPI_Win_unlock(r, s->bucket_window);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

// Of the keys in the bucket: a sum of ranks times keys, whatever the order they came in.
static uint64_t rank_keys(Sorter* s) {
  const long low = ((long)s->rank << kKeyBits) / s->ranks;
  const long high = ((long)(s->rank + 1) << kKeyBits) / s->ranks + 1;
  const long n = (long)*s->filled;
  memset(s->count, 0, (size_t)(high - low) * sizeof(int32_t));
  for (long i = 0; i < n; ++i) s->count[s->bucket[i] - low] += 1;  // race
  uint64_t sum = 0, place = 0;
  for (long k = 0; k < high - low; ++k) {
    place += (uint64_t)s->count[k];
    sum += place * (uint64_t)(k + low) % 1000003;
  }
  return sum;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Sorter s = {.n = read_size(argc, argv, 1500000), .plant = race_is_planted()};
  MPI_Comm_rank(MPI_COMM_WORLD, &s.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &s.ranks);
  s.room = 2 * s.n + 1000;
  s.keys = malloc((size_t)s.n * sizeof(int32_t));
  s.grouped = malloc((size_t)s.n * sizeof(int32_t));
  s.count = malloc((kKeys / (size_t)s.ranks + 2) * sizeof(int32_t));
  MPI_Win_allocate(s.room * (MPI_Aint)sizeof(int32_t), sizeof(int32_t), MPI_INFO_NULL,
                   MPI_COMM_WORLD, &s.bucket, &s.bucket_window);
  MPI_Win_allocate(sizeof(int64_t), sizeof(int64_t), MPI_INFO_NULL, MPI_COMM_WORLD, &s.filled,
                   &s.filled_window);
  uint64_t seed = (uint64_t)s.rank + 7;
  uint64_t mine = 0;
  MPI_Win_lock_all(0, s.filled_window);
  for (int round = 0; round < kRounds; ++round) {
    for (long i = 0; i < s.n; ++i) {
      const uint64_t bits = next_random(&seed);  // a sum of two: a hill, not a plain
      s.keys[i] = (int32_t)(((bits & (kKeys - 1)) + (bits >> 32 & (kKeys - 1))) / 2);
    }
    *s.filled = 0;
    MPI_Win_sync(s.filled_window);
    MPI_Barrier(MPI_COMM_WORLD);
    distribute(&s);
    MPI_Win_sync(s.filled_window);
    mine = mine * 31 % 1000003 + rank_keys(&s) % 1000003;
    if (s.plant) {
      for (int r = 0; r < s.ranks; ++r) MPI_Win_unlock(r, s.bucket_window);
    }
  }
  MPI_Win_unlock_all(s.filled_window);
  uint64_t all = 0;
  MPI_Reduce(&mine, &all, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  if (s.rank == 0) print_checksum((double)all);
  MPI_Win_free(&s.filled_window);
  MPI_Win_free(&s.bucket_window);
  free(s.keys);
  free(s.grouped);
  free(s.count);
  MPI_Finalize();
  return 0;
}
