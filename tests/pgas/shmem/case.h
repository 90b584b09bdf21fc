// What the programs in this folder have in common: main(), symmetric memory, and the two forms of a program.
//
// A program defines test(). With RACE defined it has the race whose lines are marked; without, it is the nearest program that has
// none. Memory that is only there to be sent from or received into is `ones` and `got`.
#pragma once

#include <shmem.h>
#include <stdlib.h>
#include <string.h>

#ifdef RACE
#define CASE(racy, right) racy
#else
#define CASE(racy, right) right
#endif
#define RACY(...) CASE(do { __VA_ARGS__; } while (0), (void)0)
#define RIGHT(...) CASE((void)0, do { __VA_ARGS__; } while (0))

enum { COUNT = 64 };

static int pe, pes;
static int* memory;  // symmetric, all 0
static long flag;    // symmetric: a global variable
static long lock;    // the same
static int ones[COUNT] = {1, 1, 1, 1};
__attribute__((unused)) static int got[COUNT];
__attribute__((unused)) static long
    for_sync[SHMEM_REDUCE_SYNC_SIZE + SHMEM_BCAST_SYNC_SIZE + SHMEM_BARRIER_SYNC_SIZE];
__attribute__((unused)) static int for_work[SHMEM_REDUCE_MIN_WRKDATA_SIZE + COUNT];

static void test(void);

// A load that is not thrown away.
__attribute__((unused)) static inline void use(int value) {
  __asm__ volatile("" ::"r"(value));
}

__attribute__((unused)) static void wait_for_flag(void) {
  shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
}

int main(void) {
  shmem_init();
  pe = shmem_my_pe();
  pes = shmem_n_pes();
  flag = lock = 0;
  ones[1] = 1;
  for (unsigned i = 0; i < sizeof(for_sync) / sizeof(*for_sync); ++i)
    for_sync[i] = SHMEM_SYNC_VALUE;
  memory = shmem_malloc(COUNT * sizeof(int));
  memset(memory, 0, COUNT * sizeof(int));
  shmem_barrier_all();
  test();
  shmem_barrier_all();
  shmem_free(memory);
  shmem_finalize();
  return 0;
}
