// Requests call a function in a thread of its own when they end; it uses the buffer, and the request again.
#include <aio.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>

#include "order.h"

static sem_t done;
static char buffer[64];
static struct aiocb request;
static int prepared, sum;

static void ended(union sigval value) {
  struct aiocb* own = (struct aiocb*)value.sival_ptr;
  if (own->aio_sigevent.sigev_notify_function != ended) return;
  if (own->aio_sigevent.sigev_value.sival_ptr != own) return;
  sum += buffer[3] + prepared;
  buffer[3] = 1;
  if (aio_return(own) == sizeof buffer) sem_post(&done);
}

int main(void) {
  sem_init(&done, 0, 0);
  FILE* file = tmpfile();
  if (file == NULL || fwrite(buffer, 1, sizeof buffer, file) != sizeof buffer || fflush(file))
    return 1;
  request.aio_fildes = fileno(file);
  request.aio_buf = buffer;
  request.aio_nbytes = sizeof buffer;
  request.aio_sigevent.sigev_notify = SIGEV_THREAD;
  request.aio_sigevent.sigev_notify_function = ended;
  request.aio_sigevent.sigev_value.sival_ptr = &request;
  for (int i = 0; i < 20; i++) {
    prepared = i;
    if (aio_read(&request)) return 2;
    while (sem_wait(&done)) {
    }
    buffer[4] = 1;
  }
  return sum == 190 ? 0 : 3;
}
