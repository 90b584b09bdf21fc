// Threads of two processes share a mutex.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "order.h"

struct Shared {
  pthread_mutex_t lock;
  int sum;
  int values[2];
  volatile int step;
};

static struct Shared* shared;
static int process;

static void* add(void* unused) {
  for (int i = 0; i < 100; ++i) {
    pthread_mutex_lock(&shared->lock);
    shared->sum++;
    pthread_mutex_unlock(&shared->lock);
  }
  return unused;
}

static void* last(void* unused) {
  if (process == 1) {
    shared->values[0] = 1;
    order_reached_at(&shared->step, 1);
  } else {
    order_await_at(&shared->step, 1);
    shared->values[1] = 2;
  }
  return unused;
}

int main(void) {
  shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_setpshared(&kind, PTHREAD_PROCESS_SHARED);
  pthread_mutex_init(&shared->lock, &kind);
  pid_t child = fork();
  process = child == 0;
  in_two_threads(add, add);
  in_two_threads(last, add);
  if (child != 0) waitpid(child, NULL, 0);
  return 0;
}
