// Unbalanced tree search with work stealing, after the paper's "psearch" (UTS): a node is a random
// number that decides how many children it has, so no rank knows how much lies below one. A rank
// works from a stack of its own, keeps part of it in a window for others to steal, and steals half
// of a victim's part when it has nothing left. The window is only touched under exclusive locks,
// also by its owner; the number of nodes not yet searched is kept by MPI_Fetch_and_op.
//
// Planted: the owner looks without the lock whether there is room for nodes to share.
#include <mpi.h>

#include "workload.h"

enum { kShared = 1024, kPrivate = 1 << 20, kChunk = 256, kWork = 300 };

// The shared part of a rank's stack, in its window.
typedef struct Shared {
  uint64_t count;
  uint64_t nodes[kShared];
} Shared;

typedef struct Search {
  int rank, ranks;
  bool plant;
  Shared* shared;
  MPI_Win stacks, open;
  uint64_t* nodes;
  long count;
  uint64_t found, sum;
} Search;

// About 0.98 children on average, up to 8: subtrees are small, or very large.
static int children(uint64_t node) {
  return mix(node ^ 0x1234567U) % 1000 < 122 ? 8 : 0;
}

static void visit(Search* s, uint64_t node) {
  uint64_t work = node;
  for (int i = 0; i < kWork; ++i) work = mix(work + (uint64_t)i);
  s->found += 1;
  s->sum += work >> 24;
  const int n = children(node);
  for (int i = 0; i < n; ++i)
    s->nodes[s->count++] = mix(node + 0x9e3779b97f4a7c15U * (uint64_t)(i + 1));
}

static int64_t change_open(Search* s, int64_t by) {
  int64_t before = 0;
  MPI_Fetch_and_op(&by, &before, MPI_INT64_T, 0, 0, by == 0 ? MPI_NO_OP : MPI_SUM, s->open);
  MPI_Win_flush(0, s->open);
  return before;
}

// Gives the oldest nodes, whose subtrees are the largest, to whoever comes.
static void share_some(Search* s) {
  if (s->plant && s->shared->count + kChunk > kShared) return;  // race
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, s->rank, 0, s->stacks);
  if (s->shared->count + kChunk <= kShared) {
    for (long i = 0; i < kChunk; ++i)
      s->shared->nodes[s->shared->count + (uint64_t)i] = s->nodes[i];
    s->shared->count += kChunk;
    s->count -= kChunk;
    memmove(s->nodes, s->nodes + kChunk, (size_t)s->count * sizeof(uint64_t));
  }
  MPI_Win_unlock(s->rank, s->stacks);
}

static bool steal(Search* s, int victim) {
  uint64_t count = 0, left = 0;
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, victim, 0, s->stacks);
  MPI_Get(&count, 1, MPI_UINT64_T, victim, 0, 1, MPI_UINT64_T, s->stacks);
  MPI_Win_flush(victim, s->stacks);
  const uint64_t take = victim == s->rank ? count : (count + 1) / 2;
  if (take > 0) {
    left = count - take;
    MPI_Get(s->nodes, (int)take, MPI_UINT64_T, victim, (MPI_Aint)(1 + left), (int)take,
            MPI_UINT64_T, s->stacks);
    MPI_Put(&left, 1, MPI_UINT64_T, victim, 0, 1, MPI_UINT64_T, s->stacks);  // race
  }
  MPI_Win_unlock(victim, s->stacks);
  s->count = (long)take;
  return take > 0;
}

static void search(Search* s) {
  int64_t closed = 0;
  for (;;) {
    while (s->count > 0) {
      const long before = --s->count;
      visit(s, s->nodes[before]);
      closed += 1 - (s->count - before);
      if (s->count > 2 * kChunk && s->found % 64 == 0) {
        change_open(s, -closed);  // what others may steal is counted first
        closed = 0;
        share_some(s);
      }
    }
    if (closed != 0) change_open(s, -closed);
    closed = 0;
    bool some = false;
    for (int i = 0; i < s->ranks && !some; ++i) some = steal(s, (s->rank + i) % s->ranks);
    if (!some && change_open(s, 0) == 0) return;
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const long roots = read_size(argc, argv, 20000);
  Search s = {.plant = race_is_planted()};
  MPI_Comm_rank(MPI_COMM_WORLD, &s.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &s.ranks);
  s.nodes = malloc(kPrivate * sizeof(uint64_t));
  MPI_Win_allocate(sizeof(Shared), sizeof(uint64_t), MPI_INFO_NULL, MPI_COMM_WORLD, &s.shared,
                   &s.stacks);
  int64_t* open;
  MPI_Win_allocate(sizeof(int64_t), sizeof(int64_t), MPI_INFO_NULL, MPI_COMM_WORLD, &open, &s.open);
  s.shared->count = 0;
  *open = roots;
  uint64_t seed = 42;
  if (s.rank == 0) {  // it has all the roots; the others must steal
    while (s.count < roots) s.nodes[s.count++] = next_random(&seed);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, s.open);
  search(&s);
  MPI_Win_unlock_all(s.open);

  uint64_t mine[2] = {s.found, s.sum}, all[2];
  MPI_Reduce(mine, all, 2, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  if (s.rank == 0) print_checksum((double)all[0] + (double)(all[1] % 1000000) * 1e-6);
  MPI_Win_free(&s.open);
  MPI_Win_free(&s.stacks);
  free(s.nodes);
  MPI_Finalize();
  return 0;
}
