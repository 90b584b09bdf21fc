// The function that a message queue calls reads what is written after the message was sent.
#include <fcntl.h>
#include <mqueue.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "order.h"

static sem_t done;
static int sent;

static void arrived(union sigval value) {
  order_await(1);
  USE(sent);  // RACE
  sem_post((sem_t*)value.sival_ptr);
}

int main(void) {
  char name[64];
  snprintf(name, sizeof name, "/redflag-%d", (int)getpid());
  struct mq_attr attributes = {0};
  attributes.mq_maxmsg = 4;
  attributes.mq_msgsize = 8;
  const mqd_t queue = mq_open(name, O_CREAT | O_EXCL | O_RDWR, 0600, &attributes);
  if (queue == (mqd_t)-1) return 1;
  mq_unlink(name);
  sem_init(&done, 0, 0);
  struct sigevent event = {0};
  event.sigev_notify = SIGEV_THREAD;
  event.sigev_notify_function = arrived;
  event.sigev_value.sival_ptr = &done;
  if (mq_notify(queue, &event)) return 2;
  mq_send(queue, "x", 1, 0);
  sent = 1;  // RACE
  order_reached(1);
  while (sem_wait(&done)) {
  }
  return 0;
}
