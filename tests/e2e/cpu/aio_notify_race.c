// The function that is called at the end of a request reads what is written after the request was made.
#include <aio.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>

#include "order.h"

static sem_t done;
static char buffer[64];
static int late;

static void ended(union sigval value) {
  order_await(1);
  USE(late);  // RACE
  sem_post((sem_t*)value.sival_ptr);
}

int main(void) {
  sem_init(&done, 0, 0);
  FILE* file = tmpfile();
  if (file == NULL) return 1;
  struct aiocb request = {0};
  request.aio_fildes = fileno(file);
  request.aio_buf = buffer;
  request.aio_nbytes = sizeof buffer;
  request.aio_sigevent.sigev_notify = SIGEV_THREAD;
  request.aio_sigevent.sigev_notify_function = ended;
  request.aio_sigevent.sigev_value.sival_ptr = &done;
  if (aio_write(&request)) return 2;
  late = 1;  // RACE
  order_reached(1);
  while (sem_wait(&done)) {
  }
  return aio_return(&request) == sizeof buffer ? 0 : 3;
}
