// What the workloads of this folder share: arguments, threads, random numbers, the planted race.
//
// A workload is one C or C++ file, `NAME [THREADS [SIZE]]`. It is race-free, waits without
// spinning, and prints one checksum that depends on SIZE only (and THREADS where sums of floating
// point are split between threads), never on the schedule: bench/run compares it between builds.
//
// Compiled with -DRACY it has exactly one race: GUARDED forgets its lock. Every use of it stands
// where all threads come by with nothing between them that could order the statement by chance:
// either no thread acquires anything between the last common barrier (or its start) and the
// statement, or none releases anything between the statement and the next barrier (or its end).
// So a happens-before detector sees it in every run whatever the schedule. The racy line is
// printed.
#pragma once

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Arguments {
  int threads;
  long size;
} Arguments;

static inline Arguments read_arguments(int argc, char** argv, long size) {
  Arguments result = {2, size};
  if (argc > 1) result.threads = atoi(argv[1]);
  if (argc > 2) result.size = atol(argv[2]);
  if (argc > 3 || result.threads < 1 || result.threads > 256 || result.size < 1) {
    fprintf(stderr, "usage: %s [THREADS [SIZE]]; THREADS is 1 to 256, SIZE %ld unless given\n",
            argv[0], size);
    exit(2);
  }
  return result;
}

// Where the share of one of `threads` begins in 0..n; it ends where the next one's begins.
static inline long share_begin(long n, int self, int threads) {
  return n * self / threads;
}

typedef struct ThreadStart {
  void (*body)(int self, void* data);
  void* data;
  int self;
} ThreadStart;

static inline void* thread_main(void* argument) {
  ThreadStart* start = (ThreadStart*)argument;
  start->body(start->self, start->data);
  return NULL;
}

// Runs body(0..threads-1, data), each in a thread of its own, and waits for all.
static inline void run_threads(int threads, void (*body)(int, void*), void* data) {
  pthread_t ids[256];
  ThreadStart starts[256];
  for (int i = 0; i < threads; ++i) {
    starts[i].body = body;
    starts[i].data = data;
    starts[i].self = i;
    if (pthread_create(&ids[i], NULL, thread_main, &starts[i]) != 0) {
      fprintf(stderr, "thread %d of %d could not be started\n", i + 1, threads);
      exit(70);
    }
  }
  for (int i = 0; i < threads; ++i) pthread_join(ids[i], NULL);
}

// SplitMix64: small, good enough, and the same everywhere.
static inline uint64_t next_random(uint64_t* state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15U);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

static inline double next_uniform(uint64_t* state) {  // [0, 1)
  return (double)(next_random(state) >> 11) * 0x1p-53;
}

#ifdef RACY
// Relaxed: it orders nothing, so it cannot hide the race it tells of.
static int planted_line;
#define GUARDED(lock, statement)                                 \
  do {                                                           \
    (void)(lock);                                                \
    __atomic_store_n(&planted_line, __LINE__, __ATOMIC_RELAXED); \
    statement;                                                   \
  } while (0)
#else
#define GUARDED(lock, statement) \
  do {                           \
    pthread_mutex_lock(lock);    \
    statement;                   \
    pthread_mutex_unlock(lock);  \
  } while (0)
#endif

// The last act of main.
static inline int finish(double checksum, const char* file) {
  printf("checksum %.15g\n", checksum);
#ifdef RACY
  const char* slash = strrchr(file, '/');
  printf("planted %s:%d\n", slash ? slash + 1 : file, planted_line);
#else
  (void)file;
#endif
  return 0;
}
