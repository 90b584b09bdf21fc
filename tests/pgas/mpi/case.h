// What the programs in this folder have in common: main(), a window of integers, and the two forms of a program.
//
// A program defines test(). With RACE defined it has the race whose lines are marked; without, it is the nearest program that has
// none. One with threads that call MPI defines THREADS. Memory that is only there to be sent from or received into is `ones` and
// `got`; it is in no window.
#pragma once

#include <mpi.h>
#include <sched.h>
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

static const MPI_Comm world = MPI_COMM_WORLD;
static int rank, size;
static int* memory;  // of this rank, in the window
static MPI_Win window;
static int ones[COUNT] = {1, 1, 1, 1};
static int got[COUNT];

static void test(void);

// A load that is not thrown away.
static inline void use(int value) {
  __asm__ volatile("" ::"r"(value));
}

// COUNT integers on each rank, all 0, which nobody else has touched when it returns.
__attribute__((unused)) static void open_window(void) {
  MPI_Win_allocate(COUNT * sizeof(int), sizeof(int), MPI_INFO_NULL, world, &memory, &window);
  memset(memory, 0, COUNT * sizeof(int));
  MPI_Barrier(world);
}

__attribute__((unused)) static void close_window(void) {
  MPI_Win_free(&window);
}

// The shortest operations on one integer, at `place` of `target`.
#define PUT(target, place) MPI_Put(ones, 1, MPI_INT, target, place, 1, MPI_INT, window)
#define GET(target, place) MPI_Get(got, 1, MPI_INT, target, place, 1, MPI_INT, window)
#define ADD(target, place) \
  MPI_Accumulate(ones, 1, MPI_INT, target, place, 1, MPI_INT, MPI_SUM, window)

// An empty message.
__attribute__((unused)) static void tell(int to) {
  MPI_Send(NULL, 0, MPI_INT, to, 0, world);
}
__attribute__((unused)) static void hear(int from) {
  MPI_Recv(NULL, 0, MPI_INT, from, 0, world, MPI_STATUS_IGNORE);
}

// Steps of the threads of a rank, in this order in time. They are relaxed, so they order nothing: whatever race there is stays.
static int steps_done;
static inline void done(int step) {
  __atomic_store_n(&steps_done, step, __ATOMIC_RELAXED);
}
static inline void await(int step) {
  while (__atomic_load_n(&steps_done, __ATOMIC_RELAXED) < step) sched_yield();
}

int main(int argc, char** argv) {
#ifdef THREADS
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (provided != MPI_THREAD_MULTIPLE) return 2;
#else
  MPI_Init(&argc, &argv);
#endif
  MPI_Comm_rank(world, &rank);
  MPI_Comm_size(world, &size);
  test();
  MPI_Finalize();
  return 0;
}
