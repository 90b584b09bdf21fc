// One thread changes the value after the signal that goes to the other by way of another process.
#include <pthread.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "order.h"

struct Shared {
  sem_t there;
  sem_t back;
};

static struct Shared* shared;
static int value;  // of the parent alone

static void* first(void* unused) {
  (void)unused;
  sem_post(&shared->there);
  value++;  // RACE
  order_reached(1);
  return NULL;
}

static void* second(void* unused) {
  (void)unused;
  sem_wait(&shared->back);
  order_await(1);
  value++;  // RACE
  return NULL;
}

int main(void) {
  shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  sem_init(&shared->there, 1, 0);
  sem_init(&shared->back, 1, 0);
  pid_t child = fork();
  if (child == 0) {
    sem_wait(&shared->there);
    sem_post(&shared->back);
    return 0;
  }
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, first, NULL);
  pthread_create(&threads[1], NULL, second, NULL);
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
  waitpid(child, NULL, 0);
  return 0;
}
