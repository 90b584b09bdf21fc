// The parent of a fork races afterwards as before.
#include <sys/wait.h>
#include <unistd.h>

#include "order.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int shared;

static void* body(void* unused) {
  pthread_mutex_lock(&lock);
  shared++;  // RACE
  pthread_mutex_unlock(&lock);
  order_reached(1);
  order_await(2);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, body, NULL);
  order_await(1);
  pid_t child = fork();
  if (child == 0) {
    pthread_mutex_lock(&lock);
    shared += 10;
    pthread_mutex_unlock(&lock);
    _exit(shared == 11 ? 0 : 1);
  }
  int status = 1;
  waitpid(child, &status, 0);
  shared++;  // RACE
  order_reached(2);
  pthread_join(thread, NULL);
  return WEXITSTATUS(status);
}
