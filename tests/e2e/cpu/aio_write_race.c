// The buffer is changed while it may not have been written to the file yet.
#include <aio.h>
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "order.h"

static char buffer[64];

int main(void) {
  FILE* file = tmpfile();
  if (file == NULL) return 1;
  struct aiocb request = {0};
  request.aio_fildes = fileno(file);
  request.aio_buf = buffer;
  request.aio_nbytes = sizeof buffer;
  if (aio_write(&request)) return 2;  // RACE
  buffer[5] = 1;                      // RACE
  while (aio_error(&request) == EINPROGRESS) usleep(100);
  return aio_return(&request) == sizeof buffer ? 0 : 3;
}
