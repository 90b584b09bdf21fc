// A buffer that is read into is used after the end of the request was seen, each way that there is.
#include <aio.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "order.h"

static char buffer[3][64];
static struct aiocb requests[3];

static void* waiter(void* unused) {
  while (aio_error(&requests[2]) == EINPROGRESS) usleep(100);
  USE(buffer[2][5]);
  return unused;
}

int main(void) {
  FILE* file = tmpfile();
  if (file == NULL || fwrite(buffer, 1, sizeof buffer, file) != sizeof buffer || fflush(file))
    return 1;
  for (int round = 0; round < 10; round++) {
    for (int i = 0; i < 3; i++) {
      memset(&requests[i], 0, sizeof requests[i]);
      memset(buffer[i], 1, sizeof buffer[i]);
      requests[i].aio_fildes = fileno(file);
      requests[i].aio_buf = buffer[i];
      requests[i].aio_nbytes = sizeof buffer[i];
      if (aio_read(&requests[i])) return 2;
    }
    const struct aiocb* one[] = {&requests[0]};
    while (aio_suspend(one, 1, NULL)) {
    }
    buffer[0][0]++;
    while (aio_error(&requests[1]) == EINPROGRESS) usleep(100);
    if (aio_return(&requests[1]) != sizeof buffer[1]) return 3;
    buffer[1][0]++;
    pthread_t thread;
    pthread_create(&thread, NULL, waiter, NULL);
    pthread_join(thread, NULL);
    buffer[2][0]++;
  }
  return 0;
}
