// Two threads of a forked child use two mappings that the parent made, under a mutex; the parent after it.
#define _GNU_SOURCE
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "order.h"

enum { kSize = 4096 };
int *here, *there;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void* first(void* unused) {
  pthread_mutex_lock(&lock);
  here[5] = 1;
  pthread_mutex_unlock(&lock);
  order_reached(1);
  return unused;
}

static void* second(void* unused) {
  order_await(1);
  pthread_mutex_lock(&lock);
  there[5] = 2;
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  int file = memfd_create("alias", 0);
  if (ftruncate(file, kSize) != 0) return 1;
  here = mmap(NULL, kSize, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  there = mmap(NULL, kSize, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  here[5] = 3;
  pid_t child = fork();
  if (child == 0) {
    in_two_threads(first, second);
    return 0;
  }
  int status = 0;
  waitpid(child, &status, 0);
  return there[5] == 2 && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
