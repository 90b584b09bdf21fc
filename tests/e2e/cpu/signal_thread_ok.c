// A signal handler posts a semaphore to say what it did.
#include <semaphore.h>
#include <signal.h>
#include <unistd.h>

#include "order.h"

sem_t handled;
int shared;

static void on_signal(int number, siginfo_t* info, void* context) {
  shared = number;
  USE(info);
  USE(context);
  sem_post(&handled);
  order_reached(2);
}

static void* body(void* unused) {
  order_reached(1);
  while (!order_is(2)) usleep(1000);
  return unused;
}

int main(void) {
  struct sigaction action = {0};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigaction(SIGUSR2, &action, NULL);
  sem_init(&handled, 0, 0);
  pthread_t thread;
  pthread_create(&thread, NULL, body, NULL);
  order_await(1);
  pthread_kill(thread, SIGUSR2);
  sem_wait(&handled);
  shared++;
  pthread_join(thread, NULL);
  return 0;
}
