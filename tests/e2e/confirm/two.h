// Runs a function in several threads at once, each with its number, and waits for all.
//
// The programs of this folder have no race: all they share is handed over by synchronisation made by
// hand, which a lock discipline cannot see. `redflag run` finds nothing in them, `redflag replay
// --detector=lockset` predicts races, and `redflag confirm` must confirm none (run.py).
#ifndef REDFLAG_TESTS_TWO_H
#define REDFLAG_TESTS_TWO_H

#include <pthread.h>
#include <sched.h>
#include <stddef.h>

typedef void (*numbered_body)(int number);

struct numbered {
  numbered_body body;
  int number;
};

static void* run_numbered(void* argument) {
  struct numbered* one = (struct numbered*)argument;
  one->body(one->number);
  return NULL;
}

__attribute__((unused)) static void in_threads(int count, numbered_body body) {
  pthread_t threads[8];
  struct numbered all[8];
  for (int i = 0; i < count; i++) {
    all[i].body = body;
    all[i].number = i;
    pthread_create(&threads[i], NULL, run_numbered, &all[i]);
  }
  for (int i = 0; i < count; i++) pthread_join(threads[i], NULL);
}

#endif
