// A message queue calls a function in a thread of its own: it knows what was done before the message was sent.
#include <fcntl.h>
#include <mqueue.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "order.h"

static sem_t done;
static int prepared, sent, answer;
static mqd_t queue;

static void arrived(union sigval value) {
  char byte[8];
  answer = prepared + sent + *(int*)value.sival_ptr;
  mq_receive(queue, byte, sizeof byte, NULL);
  sem_post(&done);
}

static void* sender(void* unused) {
  sent = 2;
  mq_send(queue, "x", 1, 0);
  return unused;
}

int main(void) {
  char name[64];
  snprintf(name, sizeof name, "/redflag-%d", (int)getpid());
  struct mq_attr attributes = {0};
  attributes.mq_maxmsg = 4;
  attributes.mq_msgsize = 8;
  queue = mq_open(name, O_CREAT | O_EXCL | O_RDWR, 0600, &attributes);
  if (queue == (mqd_t)-1) return 1;
  mq_unlink(name);
  sem_init(&done, 0, 0);
  for (int i = 0; i < 5; i++) {
    struct sigevent event = {0};
    event.sigev_notify = SIGEV_THREAD;
    event.sigev_notify_function = arrived;
    event.sigev_value.sival_ptr = &prepared;
    prepared = i;
    if (mq_notify(queue, &event)) return 2;
    pthread_t thread;
    pthread_create(&thread, NULL, sender, NULL);
    while (sem_wait(&done)) {
    }
    pthread_join(thread, NULL);
    if (answer != 2 * i + 2) return 3;
  }
  return 0;
}
