// A buffer is used while the request that reads into it is not known to have ended.
#include <aio.h>
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "order.h"

static char buffer[64];

int main(void) {
  FILE* file = tmpfile();
  if (file == NULL || fwrite(buffer, 1, sizeof buffer, file) != sizeof buffer || fflush(file))
    return 1;
  struct aiocb request = {0};
  request.aio_fildes = fileno(file);
  request.aio_buf = buffer;
  request.aio_nbytes = sizeof buffer;
  if (aio_read(&request)) return 2;  // RACE
  const char early = buffer[5];      // RACE
  USE(early);
  while (aio_error(&request) == EINPROGRESS) usleep(100);
  return aio_return(&request) == sizeof buffer ? 0 : 3;
}
