// What the workloads of this folder share: arguments, random numbers, the planted race, the result.
//
// A workload is one C file, `NAME [SIZE]`, run with any number of ranks (4 are measured). It is
// race-free by MPI 3.1 (or OpenSHMEM 1.4) and its rank 0 prints one checksum that depends on SIZE
// and the number of ranks only, never on the schedule: bench/run compares it between builds.
//
// With PLANT=1 in the environment it races, between lines that end in the comment "race" and
// nowhere else, and where nothing orders them by chance, so that a detector by happens-before sees
// it in every run. The program then may print another checksum.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline long read_size(int argc, char** argv, long size) {
  if (argc == 1) return size;
  const long given = atol(argv[1]);
  if (argc == 2 && given >= 1) return given;
  fprintf(stderr, "usage: %s [SIZE]; SIZE is %ld unless given\n", argv[0], size);
  exit(2);
}

static inline bool race_is_planted(void) {
  const char* value = getenv("PLANT");
  return value != NULL && strcmp(value, "1") == 0;
}

// Where the share of one of `ranks` begins in 0..n; it ends where the next one's begins.
static inline long share_begin(long n, int rank, int ranks) {
  return n * rank / ranks;
}

// SplitMix64: small, good enough, and the same everywhere.
static inline uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

static inline uint64_t next_random(uint64_t* state) {
  return mix(*state += 0x9e3779b97f4a7c15U);
}

static inline double next_uniform(uint64_t* state) {  // [0, 1)
  return (double)(next_random(state) >> 11) * 0x1p-53;
}

static inline void print_checksum(double checksum) {
  printf("checksum %.12g\n", checksum);
}
