// getaddrinfo_a calls a function in a thread of its own, which reads what was prepared, and the answers.
#define _GNU_SOURCE
#include <netdb.h>
#include <netinet/in.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>

#include "order.h"

static sem_t done;
static int prepared;
static struct gaicb request;
static unsigned answer;

static void looked_up(union sigval value) {
  const struct addrinfo* found = request.ar_result;
  answer = found == NULL ? 0 : ((struct sockaddr_in*)found->ai_addr)->sin_addr.s_addr;
  answer += *(int*)value.sival_ptr;
  sem_post(&done);
}

int main(void) {
  sem_init(&done, 0, 0);
  struct addrinfo hints;
  memset(&hints, 0, sizeof hints);
  hints.ai_flags = AI_NUMERICHOST;
  hints.ai_family = AF_INET;
  for (int i = 0; i < 5; i++) {
    memset(&request, 0, sizeof request);
    request.ar_name = "127.0.0.1";
    request.ar_request = &hints;
    struct sigevent event;
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_THREAD;
    event.sigev_notify_function = looked_up;
    event.sigev_value.sival_ptr = &prepared;
    struct gaicb* list[] = {&request};
    prepared = i;
    if (getaddrinfo_a(GAI_NOWAIT, list, 1, &event)) return 1;
    while (sem_wait(&done)) {
    }
    if (answer != htonl(INADDR_LOOPBACK) + i) return 2;
    freeaddrinfo(request.ar_result);
  }
  return 0;
}
