// A list of requests: waited for at once, or with a function that is called when all have ended.
#include <aio.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "order.h"

static sem_t done;
static char buffers[6][32];
static struct aiocb requests[6];
static struct aiocb* list[7];

static void use(void) {
  for (int i = 0; i < 6; i++) buffers[i][1]++;
}

static void ended(union sigval value) {
  use();
  sem_post((sem_t*)value.sival_ptr);
}

int main(void) {
  sem_init(&done, 0, 0);
  FILE* file = tmpfile();
  if (file == NULL || fwrite(buffers, 1, sizeof buffers, file) != sizeof buffers || fflush(file))
    return 1;
  for (int i = 0; i < 6; i++) {
    requests[i].aio_fildes = fileno(file);
    requests[i].aio_buf = buffers[i];
    requests[i].aio_nbytes = sizeof buffers[i];
    requests[i].aio_offset = 32 * i;
    requests[i].aio_lio_opcode = i % 2 ? LIO_READ : LIO_WRITE;
    list[i] = &requests[i];
  }
  if (lio_listio(LIO_WAIT, list, 7, NULL)) return 2;
  use();
  struct sigevent event;
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_THREAD;
  event.sigev_notify_function = ended;
  event.sigev_value.sival_ptr = &done;
  if (lio_listio(LIO_NOWAIT, list, 7, &event)) return 3;
  while (sem_wait(&done)) {
  }
  use();
  return 0;
}
