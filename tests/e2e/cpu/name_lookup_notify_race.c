// The function that getaddrinfo_a calls reads what is written after the request was made.
#define _GNU_SOURCE
#include <netdb.h>
#include <netinet/in.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>

#include "order.h"

static sem_t done;
static int late;

static void looked_up(union sigval value) {
  order_await(1);
  USE(late);  // RACE
  sem_post((sem_t*)value.sival_ptr);
}

int main(void) {
  sem_init(&done, 0, 0);
  struct addrinfo hints;
  memset(&hints, 0, sizeof hints);
  hints.ai_flags = AI_NUMERICHOST;
  hints.ai_family = AF_INET;
  struct gaicb request;
  memset(&request, 0, sizeof request);
  request.ar_name = "127.0.0.1";
  request.ar_request = &hints;
  struct sigevent event;
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_THREAD;
  event.sigev_notify_function = looked_up;
  event.sigev_value.sival_ptr = &done;
  struct gaicb* list[] = {&request};
  if (getaddrinfo_a(GAI_NOWAIT, list, 1, &event)) return 1;
  late = 1;  // RACE
  order_reached(1);
  while (sem_wait(&done)) {
  }
  return 0;
}
