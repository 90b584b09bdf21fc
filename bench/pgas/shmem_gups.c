// Random updates of a distributed table, as in gups.c, with OpenSHMEM: each PE xors random words of
// everybody's table by atomics, which may overlap.
//
// Planted: a PE updates the words of its own table by plain loads and stores.
#include <shmem.h>

#include "workload.h"

enum { kUpdatesPerWord = 4 };

static uint64_t sum_of_mine;  // symmetric

int main(int argc, char** argv) {
  shmem_init();
  const long words = read_size(argc, argv, 500000);  // of one PE
  const bool plant = race_is_planted();
  const int me = shmem_my_pe(), pes = shmem_n_pes();

  uint64_t* table = shmem_malloc((size_t)words * sizeof(uint64_t));
  for (long i = 0; i < words; ++i) table[i] = (uint64_t)(me * words + i);
  shmem_barrier_all();
  uint64_t seed = (uint64_t)me + 1;
  for (long i = 0; i < words * kUpdatesPerWord; ++i) {
    const uint64_t value = next_random(&seed);
    const uint64_t place = value % (uint64_t)(words * pes);
    const int owner = (int)(place / (uint64_t)words);
    uint64_t* word = table + place % (uint64_t)words;
    if (plant && owner == me) {
      *word ^= value;  // race
    } else {
      shmem_uint64_atomic_xor(word, value, owner);  // race
    }
  }
  shmem_barrier_all();

  for (long i = 0; i < words; ++i) sum_of_mine += mix(table[i]) >> 20;
  shmem_barrier_all();
  if (me == 0) {
    uint64_t all = 0;
    for (int pe = 0; pe < pes; ++pe) all += shmem_uint64_g(&sum_of_mine, pe);
    print_checksum((double)all);
  }
  shmem_barrier_all();
  shmem_free(table);
  shmem_finalize();
  return 0;
}
